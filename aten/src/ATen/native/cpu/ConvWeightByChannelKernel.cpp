#include <ATen/Parallel.h>
#include <ATen/native/cpu/ConvKernels.h>
#include <ATen/native/cpu/ConvPlanes.h>
#include <ATen/native/cpu/Room.h>
#include <ATen/native/cpu/TransposedCopy.h>
#include <ATen/native/cpu/UnrolledProduct.h>

#include <algorithm>
#include <vector>

namespace at::native {
inline namespace CPU_CAPABILITY {

namespace {

// The gradient of a convolution's weight with output channels in lanes,
//   weight[o][i][k] = sum over positions p of plane_i[offset_k + place_p] * output[p][o],
// where p covers the positions of all images. A few images are packed at a time.
template <typename T>
class WeightByChannels {
 public:
  WeightByChannels(const ConvShape& shape, const T* input, const T* output, T* weight)
      : s_(shape),
        plan_(conv_plan(shape, /*split=*/false)),
        input_(input),
        output_(output),
        weight_(weight),
        group_in_(s_.in_channels / s_.groups),
        group_out_(s_.out_channels / s_.groups),
        pairs_(group_in_ * volume(s_.kernel)),
        blocks_((group_out_ + kWidth - 1) / kWidth),
        plane_(plan_.layout.plane()),
        positions_(volume(s_.out)),
        run_(s_.dilation[2] == 1 ? s_.kernel[2] : 1),
        tile_(Product::runs_of_tile(run_) * run_) {}

  void run() {
    const int64_t fitting = kPlaneBytes / (s_.in_channels * plane_ * int64_t(sizeof(T)));
    const int64_t together = std::clamp<int64_t>(fitting, 1, s_.batch);
    const Room<T> planes(together * s_.in_channels * plane_);
    const Room<T> outputs(together * s_.groups * blocks_ * positions_ * kWidth);
    const Room<T> sums(s_.groups * blocks_ * pairs_ * kWidth);
    std::fill_n(sums.get(), s_.groups * blocks_ * pairs_ * kWidth, T(0));
    const std::vector<int64_t> steps = places(together);
    for (int64_t first = 0; first < s_.batch; first += together) {
      const int64_t images = std::min(together, s_.batch - first);
      pack_planes(first, images, planes.get());
      pack_outputs(first, images, outputs.get());
      add(images, steps, planes.get(), outputs.get(), sums.get());
    }
    store(sums.get());
  }

 private:
  using Product = UnrolledProduct<T>;
  static constexpr int64_t kWidth = Product::kWidth;
  static constexpr int64_t kPlaneBytes = 1 << 20; // size of the images that are packed together
  static constexpr int64_t kChunk = 256; // positions whose outputs stay cached for all pairs

  int64_t width(int64_t block) const {
    return Product::packed_width(std::min(kWidth, group_out_ - block * kWidth));
  }

  // Offsets of every position of `images` images, from the first plane of an input channel.
  std::vector<int64_t> places(int64_t images) const {
    std::vector<int64_t> places;
    for (int64_t image = 0; image < images; ++image) {
      for (int64_t d = 0; d < s_.out[0]; ++d) {
        for (int64_t h = 0; h < s_.out[1]; ++h) {
          for (int64_t w = 0; w < s_.out[2]; ++w) {
            places.push_back(
                image * s_.in_channels * plane_ + plan_.phases[0].place(plan_.layout, {d, h, w}));
          }
        }
      }
    }
    return places;
  }

  void pack_planes(int64_t first, int64_t images, T* planes) const {
    const int64_t size = volume(s_.in);
    at::parallel_for(0, images * s_.in_channels, grain(plane_), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        pack_plane(plan_.layout, input_ + (first * s_.in_channels + i) * size, planes + i * plane_);
      }
    });
  }

  // [group][block][image][position][channel of the block]
  void pack_outputs(int64_t first, int64_t images, T* to) const {
    at::parallel_for(
        0, s_.groups * blocks_ * images, grain(positions_ * kWidth),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t image = i % images, block = i / images % blocks_;
            const int64_t channel = i / images / blocks_ * group_out_ + block * kWidth;
            const int64_t channels = std::min(kWidth, group_out_ - block * kWidth);
            T* of_image =
                to + (i - image) * positions_ * kWidth + image * positions_ * width(block);
            if (width(block) > channels) {
              std::fill_n(of_image, positions_ * width(block), T(0));
            }
            copy_transposed(
                output_ + ((first + image) * s_.out_channels + channel) * positions_, positions_,
                channels, positions_, of_image, width(block));
          }
        });
  }

  // Threads share tiles of pairs of an input channel and a tap, so no two add to the same sum.
  void add(
      int64_t images, const std::vector<int64_t>& steps, const T* planes, const T* outputs,
      T* sums) const {
    const int64_t tiles = (pairs_ + tile_ - 1) / tile_;
    const int64_t work = tile_ * kWidth * images * positions_;
    const int64_t least = std::max<int64_t>(1, (1 << 18) / work);
    at::parallel_for(0, s_.groups * blocks_ * tiles, least, [&](int64_t begin, int64_t end) {
      for (int64_t next; begin < end; begin = next) {
        const int64_t block = begin / tiles; // channels of all groups
        next = std::min(end, (block + 1) * tiles);
        const int64_t pairs_before = begin % tiles * tile_;
        const int64_t pairs_end = std::min(pairs_, (next - block * tiles) * tile_);
        add_block(
            images, block, pairs_before, pairs_end, steps, planes,
            outputs + block * images * positions_ * kWidth, sums + block * pairs_ * kWidth);
      }
    });
  }

  void add_block(
      int64_t images, int64_t block, int64_t first_pair, int64_t last_pair,
      const std::vector<int64_t>& steps, const T* planes, const T* outputs, T* sums) const {
    const int64_t taps = volume(s_.kernel), of_block = width(block % blocks_);
    std::vector<const T*> rows;
    for (int64_t pair = first_pair; pair < last_pair; pair += run_) {
      const int64_t channel = block / blocks_ * group_in_ + pair / taps;
      rows.push_back(planes + channel * plane_ + plan_.phases[0].offsets[pair % taps]);
    }
    for (int64_t p = 0; p < images * positions_; p += kChunk) {
      const Product product{
          steps.data() + p, std::min(kChunk, images * positions_ - p), outputs + p * of_block,
          of_block};
      const auto runs = static_cast<int64_t>(rows.size());
      product.add_runs(runs, run_, rows.data(), sums + first_pair * kWidth, run_);
    }
  }

  void store(const T* sums) const {
    const int64_t all = s_.groups * blocks_;
    at::parallel_for(0, all, grain(pairs_ * kWidth), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t block = i % blocks_;
        copy_transposed(
            sums + i * pairs_ * kWidth, kWidth, pairs_,
            std::min(kWidth, group_out_ - block * kWidth),
            weight_ + (i / blocks_ * group_out_ + block * kWidth) * pairs_, pairs_);
      }
    });
  }

  static int64_t grain(int64_t size) {
    return std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(size, 1));
  }

  const ConvShape& s_;
  const ConvPlan plan_;
  const T* input_;
  const T* output_;
  T* weight_;
  int64_t group_in_, group_out_;
  int64_t pairs_;     // pairs of an input channel and a tap, in a group
  int64_t blocks_;    // blocks of output channels in a group
  int64_t plane_;     // elements of an input channel's plane
  int64_t positions_; // positions of an output channel
  int64_t run_;       // pairs with taps next to each other, whose planes are, too
  int64_t tile_;      // pairs that are computed together
};

} // namespace

void conv_weight_by_channel(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight) {
  const auto run = [&]<typename T>(T*) {
    WeightByChannels<T>(
        shape, static_cast<const T*>(input), static_cast<const T*>(output), static_cast<T*>(weight))
        .run();
  };
  if (dtype == c10::ScalarType::Float) {
    run(static_cast<float*>(nullptr));
  } else {
    run(static_cast<double*>(nullptr));
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
