// Convolutions of bfloat16 by a processor's tile unit; the weight is packed once. Without strides,
// the images are copied with their padding: the windows of successive pixels then lie at the same
// distances, so that tiles are read in place, and what is computed between the last position of a
// row and the next row is discarded. Otherwise the windows of a block of positions are copied, each
// as one row, so that strides and few channels waste no tiles.

#include <ATen/Parallel.h>
#include <ATen/native/TileConv.h>
#include <ATen/native/cpu/Lanes.h>
#include <ATen/native/cpu/Room.h>
#include <ATen/native/cpu/TileProduct.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

#if defined(CPU_CAPABILITY_AVX512)

using c10::BFloat16;

constexpr int64_t kMaxPositions = 128; // that read each part of the weight together

// Whole tiles of adjacent elements. Rows that are a multiple of 512 bytes apart would compete for
// few sets of the cache.
int64_t row_step(int64_t elements) {
  const int64_t whole = at::divup(elements, kTileDepth) * kTileDepth;
  return whole % 256 == 0 ? whole + kTileDepth : whole;
}

// A pair of tiles of positions: where their windows begin, and where their results go.
struct Rows {
  const BFloat16* first;
  int64_t step; // elements from one row to the next
  int64_t count;
  BFloat16* results[kTilePair]; // null for rows to be discarded
};

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
        row_(row_step(depth_)),
        positions_(s.batch * volume(s.out)),
        pairs_(at::divup(s.out_channels, kTilePair)),
        packed_(2 * pairs_ * steps_ * kTileBytes) {}

  void run() const {
    at::parallel_for(0, pairs_, 4, [&](int64_t begin, int64_t end) { pack_weight(begin, end); });
    takes_padded_images() ? run_on_padded_images() : run_on_windows();
  }

 private:
  static constexpr int64_t kWorthAThread = 1 << 18; // number of multiplications
  static constexpr int64_t kPaddedBytes = 1 << 20;  // size of the images that are padded together

  void pack_weight(int64_t begin, int64_t end) const {
    char* to = packed_.get() + begin * 2 * steps_ * kTileBytes;
    for (int64_t n = begin * kTilePair; n < end * kTilePair; n += kTileSide) {
      for (int64_t k = 0; k < depth_; k += kTileDepth, to += kTileBytes) {
        pack_columns(weight_ + n * depth_ + k, depth_, s_.out_channels - n, depth_ - k, to);
      }
    }
  }

  // Calls multiply_block(first, count) for blocks of all positions; init() in each thread before.
  template <class Init, class Multiply>
  void over_blocks(
      int64_t parts, int64_t positions, const Init& init, const Multiply& multiply) const {
    const int64_t threads = at::get_num_threads();
    const int64_t share = at::divup(parts * positions, threads * kTilePair) * kTilePair;
    const int64_t block = std::min(kMaxPositions, share), blocks = at::divup(positions, block);
    const int64_t grain = std::max<int64_t>(1, kWorthAThread / (block * depth_ * s_.out_channels));
    at::parallel_for(0, parts * blocks, grain, [&](int64_t begin, int64_t end) {
      const auto state = init(block);
      use_tiles();
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % blocks * block;
        multiply(state, i / blocks, first, std::min(block, positions - first));
      }
      release_tiles();
    });
  }

  void run_on_windows() const {
    const auto room = [&](int64_t block) {
      Room<BFloat16> windows(block * row_);
      // Padding of rows and missing rows of the last pair stay zero.
      std::memset(static_cast<void*>(windows.get()), 0, static_cast<size_t>(block * row_) * 2);
      return windows;
    };
    const auto place = [](int64_t step) { return step * 64; };
    over_blocks(1, positions_, room, [&](const auto& room, int64_t, int64_t first, int64_t count) {
      const bool in_place = reads_in_place() && count % kTilePair == 0;
      const BFloat16* windows = in_place ? input_ + first * depth_ : room.get();
      const int64_t row = in_place ? depth_ : row_;
      if (!in_place) {
        copy_windows(first, count, room.get());
      }
      multiply_block(count, place, [&](int64_t i) {
        Rows rows{windows + i * row, row, std::min(kTilePair, count - i), {}};
        for (int64_t r = 0; r < rows.count; ++r) {
          rows.results[r] = output_ + (first + i + r) * s_.out_channels;
        }
        return rows;
      });
    });
  }

  // Products of the pairs of tiles that rows_at(0), rows_at(32)... describe, and all of the weight.
  template <class Place, class RowsAt>
  void multiply_block(int64_t count, const Place& place, const RowsAt& rows_at) const {
    alignas(64) float sums[kTilePair * kTilePair];
    Rows rows[kMaxPositions / kTilePair];
    for (int64_t i = 0; i < count; i += kTilePair) {
      rows[i / kTilePair] = rows_at(i);
    }
    for (int64_t n = 0; n < pairs_; ++n) {
      const char* by = packed_.get() + n * 2 * steps_ * kTileBytes;
      for (int64_t i = 0; i < count; i += kTilePair) {
        const Rows& some = rows[i / kTilePair];
        multiply_tiles(
            {reinterpret_cast<const char*>(some.first), kTileSide * some.step * 2, 0,
             some.step * 2},
            place, {by, steps_ * kTileBytes, kTileBytes, 64}, steps_, false, sums, kTilePair * 4);
        finish(some, n * kTilePair, sums);
      }
    }
  }

  // Whether the channels of a position are its window, of whole tiles.
  bool reads_in_place() const {
    const ConvShape::Extent ones{1, 1, 1}, none{0, 0, 0};
    return s_.kernel == ones && s_.stride == ones && s_.pad == none && depth_ % kTileDepth == 0;
  }

  bool takes_padded_images() const {
    return s_.stride == ConvShape::Extent{1, 1, 1} && volume(s_.kernel) > 1 &&
        s_.in_channels % kTileDepth == 0;
  }

  void run_on_padded_images() const {
    const int64_t height = s_.in[1] + 2 * s_.pad[1], width = s_.in[2] + 2 * s_.pad[2];
    const int64_t pixel = row_step(s_.in_channels), image = height * width * pixel;
    const Room<int64_t> places(steps_);
    int64_t* to = places.get();
    for (int64_t y = 0; y < s_.kernel[1]; ++y) {
      for (int64_t x = 0; x < s_.kernel[2]; ++x) {
        for (int64_t c = 0; c < s_.in_channels; c += kTileDepth) {
          *to++ = ((y * s_.dilation[1] * width + x * s_.dilation[2]) * pixel + c) * 2;
        }
      }
    }
    const auto place = [from = places.get()](int64_t step) { return from[step]; };
    const int64_t count = (s_.out[1] - 1) * width + s_.out[2];
    const auto nothing = [](int64_t) { return 0; };
    // Images that a cache holds until they are read; every thread has some.
    const int64_t fitting = std::max<int64_t>(at::get_num_threads(), kPaddedBytes / (image * 2));
    const int64_t together = std::min(fitting, s_.batch);
    // Rows beyond the last position are read, too.
    const Room<BFloat16> padded(together * image + kTilePair * pixel);
    for (int64_t done = 0; done < s_.batch; done += together) {
      const int64_t images = std::min(together, s_.batch - done);
      at::parallel_for(0, images * height, 16, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          pad_row(
              done + i / height, i % height - s_.pad[1], pixel, padded.get() + i * width * pixel);
        }
      });
      over_blocks(images, count, nothing, [&](int, int64_t at, int64_t first, int64_t some) {
        multiply_block(some, place, [&](int64_t i) {
          return padded_rows(
              done + at, first + i, std::min(kTilePair, some - i), width,
              {padded.get() + at * image + (first + i) * pixel, pixel, 0, {}});
        });
      });
    }
  }

  Rows padded_rows(int64_t image, int64_t first, int64_t count, int64_t width, Rows rows) const {
    rows.count = count;
    int64_t y = first / width, x = first % width;
    for (int64_t r = 0; r < count; ++r) {
      if (x < s_.out[2]) {
        rows.results[r] = output_ + ((image * s_.out[1] + y) * s_.out[2] + x) * s_.out_channels;
      }
      if (++x == width) {
        x = 0;
        ++y;
      }
    }
    return rows;
  }

  void pad_row(int64_t image, int64_t y, int64_t pixel, BFloat16* to) const {
    const int64_t channels = s_.in_channels, pad = s_.pad[2], width = s_.in[2];
    if (y < 0 || y >= s_.in[1]) {
      return clear(to, (width + 2 * pad) * pixel);
    }
    const BFloat16* from = input_ + (image * s_.in[1] + y) * width * channels;
    clear(to, pad * pixel);
    to += pad * pixel;
    if (pixel == channels) {
      copy(from, width * channels, to);
      return clear(to + width * channels, pad * pixel);
    }
    for (int64_t x = 0; x < width; ++x, from += channels, to += pixel) {
      copy(from, channels, to);
    }
    clear(to, pad * pixel);
  }

  ROUNDING_UNIT void finish(const Rows& rows, int64_t column, const float* sums) const {
    const __mmask32 some = first_halves(s_.out_channels - column);
    const auto bias_of = [&](int64_t j) {
      return bias_ == nullptr
          ? _mm512_setzero_ps()
          : _mm512_maskz_loadu_ps(static_cast<__mmask16>(some >> j), bias_ + column + j);
    };
    const __m512 low_bias = bias_of(0), high_bias = bias_of(kTileSide);
    for (int64_t i = 0; i < rows.count; ++i, sums += kTilePair) {
      if (rows.results[i] != nullptr) {
        const __m512 low = _mm512_loadu_ps(sums) + low_bias;
        const __m512 high = _mm512_loadu_ps(sums + kTileSide) + high_bias;
        _mm512_mask_storeu_epi16(rows.results[i] + column, some, rounded(low, high));
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
