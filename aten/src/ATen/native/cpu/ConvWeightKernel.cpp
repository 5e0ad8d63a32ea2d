#include <ATen/Parallel.h>
#include <ATen/native/PointwiseConv.h>
#include <ATen/native/cpu/ConvKernels.h>
#include <ATen/native/cpu/ConvPlanes.h>
#include <ATen/native/cpu/Room.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <algorithm>

// The gradient of a convolution's weight for few output channels, with positions in lanes,
//   weight[o][i][k] = sum over images n and positions p of output_n[o][p] * plane_n,i[offset_k +
//   p],
// with planes as in ConvPlan.h; the output's rows are as far apart as theirs, with zeros in
// between. A tile of a few outputs o and a few pairs (i, k) keeps one register per pair, which sums
// positions lane by lane. At the end, as many registers as a register has lanes are reduced at
// once.

namespace at::native {

namespace {

// Positions to sum before registers are reduced; rows of the output stay in the cache.
constexpr int64_t kChunk = 1536;
constexpr int64_t kPackedBytes = 4 << 20; // size of the images that are packed together

template <typename T>
class WeightSums {
 public:
  WeightSums(const ConvShape& shape, const T* input, const T* output, T* weight)
      : s_(shape),
        plan_(conv_plan(shape, /*split=*/true)),
        input_(input),
        output_(output),
        weight_(weight) {
    group_in_ = s_.in_channels / s_.groups;
    group_out_ = s_.out_channels / s_.groups;
    taps_ = volume(s_.kernel);
    plane_ = plan_.layout.plane();
    const int64_t positions = (s_.out[1] - 1) * plan_.layout.pitch() + s_.out[2];
    run_ = (positions + kLanes - 1) / kLanes * kLanes;
    rows_ = s_.out[0] * run_;
  }

  void run() {
    std::fill_n(weight_, s_.out_channels * group_in_ * taps_, T(0));
    const int64_t image = s_.in_channels * plane_ + s_.out_channels * rows_;
    const int64_t fitting = kPackedBytes / static_cast<int64_t>(sizeof(T)) / image;
    const int64_t images = std::clamp<int64_t>(fitting, 1, s_.batch);
    const int64_t planes_room = images * s_.in_channels * plane_ + kLanes;
    const int64_t rows_room = images * s_.out_channels * rows_;
    const Room<T> planes(planes_room), rows(rows_room);
    std::fill_n(planes.get(), planes_room, T(0));
    std::fill_n(rows.get(), rows_room, T(0));
    for (int64_t first = 0; first < s_.batch; first += images) {
      const int64_t count = std::min(images, s_.batch - first);
      pack(first, count, planes.get(), rows.get());
      add(count, planes.get(), rows.get());
    }
  }

 private:
  using V = vec::Lanes<T, vec::kVectorBytes / static_cast<int>(sizeof(T))>;
  static constexpr int kLanes = vec::lanes_of<V>;
  // The size of a tile: as many sums as leave registers for the operands.
  static constexpr int kOutputs = vec::kVectorBytes == 64 ? 4 : 2;
  static constexpr int kPairs = vec::kVectorBytes == 64 ? 6 : 4;

  void pack(int64_t first, int64_t images, T* planes, T* rows) const {
    const auto grain_for = [](int64_t size) {
      return std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(size, 1));
    };
    const int64_t in_size = volume(s_.in), out_size = volume(s_.out);
    const T* input = input_ + first * s_.in_channels * in_size;
    at::parallel_for(
        0, images * s_.in_channels, grain_for(plane_), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            pack_plane(plan_.layout, input + i * in_size, planes + i * plane_);
          }
        });
    const T* output = output_ + first * s_.out_channels * out_size;
    at::parallel_for(
        0, images * s_.out_channels, grain_for(rows_), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            pack_rows(output + i * out_size, rows + i * rows_);
          }
        });
  }

  void pack_rows(const T* from, T* to) const {
    for (int64_t d = 0; d < s_.out[0]; ++d) {
      for (int64_t h = 0; h < s_.out[1]; ++h, from += s_.out[2]) {
        copy_row(to + d * run_ + h * plan_.layout.pitch(), from, s_.out[2]);
      }
    }
  }

  // Threads share the output channels, so no two write to the same element.
  void add(int64_t images, const T* planes, const T* rows) const {
    const int64_t tiles = (group_out_ + kOutputs - 1) / kOutputs;
    const int64_t work = std::max<int64_t>(1, kOutputs * group_in_ * taps_ * images * rows_);
    const int64_t grain = std::max<int64_t>(1, (1 << 18) / work);
    at::parallel_for(0, s_.groups * tiles, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t group = i / tiles, channel = i % tiles * kOutputs;
        if (group_out_ - channel == 1) {
          one_tile<1, kOutputs * kPairs / 2>(images, group, channel, planes, rows);
        } else {
          one_tile<kOutputs, kPairs>(images, group, channel, planes, rows);
        }
      }
    });
  }

  // Where the operands of one chunk begin, and the chunk's length.
  struct Chunk {
    const T* planes; // output of the first image and the group's first channel
    const T* rows;   // plane of the first image and the tile's first channel
    int64_t images, length;
  };

  template <int kOuts, int kIns>
  void one_tile(
      int64_t images, int64_t group, int64_t channel, const T* planes, const T* rows) const {
    const int64_t together = std::max<int64_t>(1, kChunk / run_);
    for (int64_t n = 0; n < images; n += together) {
      for (int64_t d = 0; d < s_.out[0]; ++d) {
        for (int64_t p = 0; p < run_; p += kChunk) {
          const Chunk chunk{
              planes + (n * s_.in_channels + group * group_in_) * plane_ + d * plan_.layout.slab() +
                  p,
              rows + (n * s_.out_channels + group * group_out_ + channel) * rows_ + d * run_ + p,
              std::min(together, images - n), std::min(kChunk, run_ - p)};
          T* weight = weight_ + (group * group_out_ + channel) * group_in_ * taps_;
          one_chunk<kOuts, kIns>(chunk, std::min<int64_t>(kOuts, group_out_ - channel), weight);
        }
      }
    }
  }

  template <int kOuts, int kIns>
  void one_chunk(const Chunk& chunk, int64_t outputs, T* weight) const {
    const int64_t pairs = group_in_ * taps_;
    const int64_t* offsets = plan_.phases[0].offsets.data();
    const T* rows[kOuts];
    for (int64_t o = 0; o < kOuts; ++o) {
      rows[o] = chunk.rows + std::min(o, outputs - 1) * rows_;
    }
    int64_t channel = 0, tap = 0;
    for (int64_t pair = 0; pair < pairs; pair += kIns) {
      const T* planes[kIns];
      for (int64_t k = 0; k < kIns; ++k) {
        planes[k] = chunk.planes + channel * plane_ + offsets[tap];
        if (pair + k < pairs - 1 && ++tap == taps_) {
          tap = 0;
          ++channel;
        }
      }
      T sums[kWhole<kOuts * kIns>];
      sum_products<kOuts, kIns>(chunk, rows, planes, sums);
      const int64_t count = std::min<int64_t>(kIns, pairs - pair);
      for (int64_t o = 0; o < outputs; ++o) {
        for (int64_t k = 0; k < count; ++k) {
          weight[o * pairs + pair + k] += sums[o * kIns + k];
        }
      }
    }
  }

  // Rounded up to whole registers.
  template <int kSums>
  static constexpr int kWhole = (kSums + kLanes - 1) / kLanes* kLanes;

  template <int kOuts, int kIns>
  C10_NOINLINE void sum_products(
      const Chunk& chunk, const T* const* rows, const T* const* planes, T* sums) const {
    V sum[kWhole<kOuts * kIns>] = {};
    for (int64_t n = 0; n < chunk.images; ++n) {
      const int64_t row_step = n * s_.out_channels * rows_, step = n * s_.in_channels * plane_;
      for (int64_t p = 0; p < chunk.length; p += kLanes) {
        V in[kIns];
#pragma GCC unroll 16
        for (int k = 0; k < kIns; ++k) {
          in[k] = vec::load<T, kLanes>(planes[k] + step + p);
        }
#pragma GCC unroll 16
        for (int o = 0; o < kOuts; ++o) {
          const V by = vec::load<T, kLanes>(rows[o] + row_step + p);
#pragma GCC unroll 16
          for (int k = 0; k < kIns; ++k) {
            sum[o * kIns + k] = vec::fma(by, in[k], sum[o * kIns + k]);
          }
        }
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kWhole<kOuts * kIns>; i += kLanes) {
      vec::store<T, kLanes>(sums + i, sum_each<T>(sum + i));
    }
  }

  const ConvShape& s_;
  const ConvPlan plan_;
  const T* input_;
  const T* output_;
  T* weight_;
  int64_t group_in_, group_out_, taps_;
  int64_t plane_; // elements of an input channel's plane
  int64_t run_;   // positions of one index of the first dimension, in whole registers
  int64_t rows_;  // positions of an output channel
};

void conv_weight_kernel(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight) {
  if (is_pointwise_product(dtype, shape)) {
    return pointwise_conv_weight(dtype, shape, input, output, weight);
  }
  const auto run = [&]<typename T>(T*) {
    if (shape.out_channels / shape.groups >= vec::kVectorBytes / static_cast<int64_t>(sizeof(T))) {
      return conv_weight_by_channel(dtype, shape, input, output, weight);
    }
    WeightSums<T>(
        shape, static_cast<const T*>(input), static_cast<const T*>(output), static_cast<T*>(weight))
        .run();
  };
  if (dtype == c10::ScalarType::Float) {
    run(static_cast<float*>(nullptr));
  } else {
    run(static_cast<double*>(nullptr));
  }
}

} // namespace

REGISTER_DISPATCH(conv_weight_stub, &conv_weight_kernel)

} // namespace at::native
