// Convolutions of bfloat16 by a processor's tile unit. The windows of a block of output positions
// are copied as rows of a matrix, so that strides, padding and few channels waste no tiles; the
// weight is packed once.

#include <ATen/Parallel.h>
#include <ATen/native/TileConv.h>
#include <ATen/native/cpu/ConvPlanes.h>
#include <ATen/native/cpu/Lanes.h>
#include <ATen/native/cpu/TileProduct.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

#if defined(CPU_CAPABILITY_AVX512)

using c10::BFloat16;

constexpr int64_t kMaxPositions = 128; // that read each part of the weight together

class TileConv {
 public:
  TileConv(
      const ConvShape& s, const BFloat16* input, const BFloat16* weight, const float* bias,
      BFloat16* output)
      : s_(s),
        input_(input),
        weight_(weight),
        bias_(bias),
        output_(output),
        depth_(volume(s.kernel) * s.in_channels),
        steps_(at::divup(depth_, kTileDepth)),
        // An odd number of cache lines spreads the rows over all sets of the cache.
        row_(steps_ / 2 * 2 * kTileDepth + kTileDepth),
        positions_(s.batch * volume(s.out)),
        pairs_(at::divup(s.out_channels, kTilePair)),
        packed_(2 * pairs_ * steps_ * kTileSize) {}

  void run() const {
    at::parallel_for(0, pairs_, 4, [&](int64_t begin, int64_t end) { pack_weight(begin, end); });
    const int64_t share = at::divup(positions_, at::get_num_threads() * kTilePair) * kTilePair;
    const int64_t block = std::min(kMaxPositions, share);
    const int64_t work = block * depth_ * s_.out_channels;
    const int64_t grain = std::max<int64_t>(1, kWorthAThread / work);
    at::parallel_for(0, at::divup(positions_, block), grain, [&](int64_t begin, int64_t end) {
      const Room<BFloat16> windows(block * row_);
      // Padding of rows and missing rows of the last pair stay zero.
      std::memset(static_cast<void*>(windows.get()), 0, static_cast<size_t>(block * row_) * 2);
      configure_tiles();
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i * block;
        multiply(first, std::min(block, positions_ - first), windows.get());
      }
      free_tiles();
    });
  }

 private:
  static constexpr int64_t kWorthAThread = 1 << 18; // number of multiplications

  void pack_weight(int64_t begin, int64_t end) const {
    char* to = packed_.get() + begin * 2 * steps_ * kTileSize;
    for (int64_t n = begin * kTilePair; n < end * kTilePair; n += kTileSide) {
      for (int64_t k = 0; k < depth_; k += kTileDepth, to += kTileSize) {
        pack_columns(weight_ + n * depth_ + k, depth_, s_.out_channels - n, depth_ - k, to);
      }
    }
  }

  void multiply(int64_t first, int64_t count, BFloat16* windows) const {
    const BFloat16* rows = windows;
    int64_t row = row_;
    if (reads_in_place() && count % kTilePair == 0) {
      rows = input_ + first * depth_;
      row = depth_;
    } else {
      copy_windows(first, count, windows);
    }
    alignas(64) float sums[kTilePair * kTilePair];
    for (int64_t n = 0; n < pairs_; ++n) {
      const char* by = packed_.get() + n * 2 * steps_ * kTileSize;
      for (int64_t i = 0; i < count; i += kTilePair) {
        multiply_tiles(
            {reinterpret_cast<const char*>(rows + i * row), kTileSide * row * 2, 64, row * 2},
            {by, steps_ * kTileSize, kTileSize, 64}, steps_, false, sums, kTilePair * 4);
        finish(first + i, std::min(kTilePair, count - i), n * kTilePair, sums);
      }
    }
  }

  // Whether the channels of a position are its window, of whole tiles.
  bool reads_in_place() const {
    const ConvShape::Extent ones{1, 1, 1}, none{0, 0, 0};
    return s_.kernel == ones && s_.stride == ones && s_.pad == none && depth_ % kTileDepth == 0;
  }

  void finish(int64_t position, int64_t rows, int64_t column, const float* sums) const {
    const int64_t columns = std::min(kTilePair, s_.out_channels - column);
    for (int64_t j = 0; j < columns; j += kTileSide) {
      const int64_t some = columns - j;
      const auto bias =
          bias_ == nullptr ? Lanes<float>{} : load_up_to<float>(bias_ + column + j, some, 0.0f);
      BFloat16* to = output_ + position * s_.out_channels + column + j;
      for (int64_t i = 0; i < rows; ++i, to += s_.out_channels) {
        const auto sum = load_lanes<float>(sums + i * kTilePair + j);
        save_up_to<BFloat16, float>(to, sum + bias, some);
      }
    }
  }

  void copy_windows(int64_t first, int64_t count, BFloat16* to) const {
    const int64_t width = s_.out[2], height = s_.out[1];
    int64_t w = first % width, h = first / width % height, image = first / width / height;
    for (int64_t i = 0; i < count; ++i, to += row_) {
      copy_window(input_ + image * s_.in[1] * s_.in[2] * s_.in_channels, h, w, to);
      if (++w == width) {
        w = 0;
        if (++h == height) {
          h = 0;
          ++image;
        }
      }
    }
  }

  void copy_window(const BFloat16* image, int64_t h, int64_t w, BFloat16* to) const {
    const int64_t channels = s_.in_channels, taps = s_.kernel[2], step = s_.dilation[2];
    const int64_t top = h * s_.stride[1] - s_.pad[1], left = w * s_.stride[2] - s_.pad[2];
    for (int64_t i = 0; i < s_.kernel[1]; ++i, to += taps * channels) {
      const int64_t y = top + i * s_.dilation[1];
      if (y < 0 || y >= s_.in[1]) {
        clear(to, taps * channels);
        continue;
      }
      const BFloat16* from = image + (y * s_.in[2] + left) * channels;
      if (step == 1) {
        const int64_t before = std::clamp<int64_t>(-left, 0, taps);
        const int64_t end = std::clamp<int64_t>(s_.in[2] - left, before, taps);
        clear(to, before * channels);
        copy(from + before * channels, (end - before) * channels, to + before * channels);
        clear(to + end * channels, (taps - end) * channels);
        continue;
      }
      for (int64_t j = 0; j < taps; ++j) {
        const int64_t x = left + j * step;
        x < 0 || x >= s_.in[2] ? clear(to + j * channels, channels)
                               : copy(from + j * step * channels, channels, to + j * channels);
      }
    }
  }

  static void copy(const BFloat16* from, int64_t count, BFloat16* to) {
    for (int64_t i = 0; i < count; i += kTileDepth) {
      _mm512_mask_storeu_epi16(to + i, first_halves(count - i), load_halves(from + i, count - i));
    }
  }
  static void clear(BFloat16* to, int64_t count) {
    for (int64_t i = 0; i < count; i += kTileDepth) {
      _mm512_mask_storeu_epi16(to + i, first_halves(count - i), _mm512_setzero_si512());
    }
  }

  const ConvShape& s_;
  const BFloat16 *input_, *weight_;
  const float* bias_;
  BFloat16* output_;
  int64_t depth_; // elements of a window
  int64_t steps_; // tiles of a window
  int64_t row_;   // elements from one copied window to the next
  int64_t positions_, pairs_;
  Room<char> packed_; // the weight as [pair of tiles of output channels][2][step]
};

void tile_conv(
    const ConvShape& shape, const void* input, const void* weight, const float* bias,
    void* output) {
  TileConv(
      shape, static_cast<const BFloat16*>(input), static_cast<const BFloat16*>(weight), bias,
      static_cast<BFloat16*>(output))
      .run();
}

#else // has_tile_unit() is false

void tile_conv(const ConvShape&, const void*, const void*, const float*, void*) {}

#endif

} // namespace

REGISTER_DISPATCH(tile_conv_stub, &tile_conv)

} // namespace CPU_CAPABILITY
} // namespace at::native
