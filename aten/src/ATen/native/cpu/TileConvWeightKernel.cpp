// The gradient of a convolution's weight in bfloat16 by a processor's tile unit,
//   weight[o][tap][c] = sum over positions p of output[p][o] * window_p[tap][c].
// Positions are the depth of the products. The outputs of a chunk of positions are packed as tiles
// whose rows are o. For each tap, the channels of two adjacent positions are joined into words.

#include <ATen/Parallel.h>
#include <ATen/native/TileConv.h>
#include <ATen/native/cpu/Room.h>
#include <ATen/native/cpu/TileProduct.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

#if defined(CPU_CAPABILITY_AVX512)

using c10::BFloat16;

class TileConvWeight {
 public:
  TileConvWeight(
      const ConvShape& s, const BFloat16* input, const BFloat16* output, BFloat16* weight)
      : s_(s),
        input_(input),
        output_(output),
        weight_(weight),
        taps_(volume(s.kernel)),
        positions_(s.batch * volume(s.out)),
        in_pairs_(at::divup(s.in_channels, kTilePair)),
        out_pairs_(at::divup(s.out_channels, kTilePair)),
        zeros_(s.in_channels),
        sums_(taps_ * in_pairs_ * out_pairs_ * kSums) {
    std::fill_n(zeros_.get(), s.in_channels, BFloat16(0.0f));
  }

  void run() const {
    const int64_t chunks = at::divup(positions_, kChunk);
    const int64_t together =
        std::clamp<int64_t>(kPackedBytes / (out_pairs_ * kPackedPair), 1, chunks);
    const Room<char> outputs(together * out_pairs_ * kPackedPair);
    const int64_t units = taps_ * in_pairs_;
    for (int64_t first = 0; first < chunks; first += together) {
      const int64_t some = std::min(together, chunks - first);
      at::parallel_for(0, some * out_pairs_, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          pack_outputs(first + i / out_pairs_, i % out_pairs_, outputs.get() + i * kPackedPair);
        }
      });
      const int64_t work = some * kChunk * kTilePair * s_.out_channels;
      const int64_t grain = std::max<int64_t>(1, kWorthAThread / work);
      // Threads share the elements of the sums, which each adds up in the order of positions.
      at::parallel_for(0, units, grain, [&](int64_t begin, int64_t end) {
        add(first, some, outputs.get(), begin, end);
      });
    }
    at::parallel_for(0, units, 4, [&](int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) {
        store(unit);
      }
    });
  }

 private:
  static constexpr int64_t kSteps = 16; // tiles of a chunk of positions
  static constexpr int64_t kChunk = kSteps * kTileDepth;
  static constexpr int64_t kPackedPair = 2 * kSteps * kTileBytes;
  static constexpr int64_t kPackedBytes = 4 << 20; // size of the outputs that are packed together
  static constexpr int64_t kSums = kTilePair * kTilePair;
  static constexpr int64_t kWorthAThread = 1 << 18; // number of multiplications

  int64_t count_of(int64_t chunk) const { return std::min(kChunk, positions_ - chunk * kChunk); }

  // [tile of 16 channels][step]
  void pack_outputs(int64_t chunk, int64_t pair, char* to) const {
    const int64_t count = count_of(chunk), channels = s_.out_channels;
    for (int64_t o = pair * kTilePair; o < (pair + 1) * kTilePair; o += kTileSide) {
      const BFloat16* from = output_ + chunk * kChunk * channels + o;
      char* tile = to;
      for (int64_t k = 0; k < count; k += kTileDepth, tile += kTileBytes) {
        pack_depth_transposed(from + k * channels, channels, count - k, channels - o, tile);
      }
      to += kSteps * kTileBytes;
    }
  }

  // Adds chunks of positions to the sums of units, each a tap and a pair of tiles of channels.
  void add(int64_t first, int64_t chunks, const char* outputs, int64_t begin, int64_t end) const {
    const Room<const BFloat16*> windows(kChunk);
    const Room<char> words(kPackedPair);
    use_tiles();
    for (int64_t i = 0; i < chunks; ++i) {
      const int64_t chunk = first + i, steps = at::divup(count_of(chunk), kTileDepth);
      for (int64_t unit = begin; unit < end; ++unit) {
        if (unit == begin || unit % in_pairs_ == 0) {
          find_windows(chunk, unit / in_pairs_, windows.get());
        }
        join_windows(windows.get(), unit % in_pairs_ * kTilePair, steps, words.get());
        for (int64_t pair = 0; pair < out_pairs_; ++pair) {
          const char* rows = outputs + (i * out_pairs_ + pair) * kPackedPair;
          multiply_tiles(
              {rows, kSteps * kTileBytes, kTileBytes, 64},
              {words.get(), kTileBytes, 2 * kTileBytes, 64}, steps, chunk > 0,
              sums_.get() + (unit * out_pairs_ + pair) * kSums, kTilePair * 4);
        }
      }
    }
    release_tiles();
  }

  // Where the elements of a tap lie, for each position of a chunk; zeros for those in the padding
  // and for missing positions.
  void find_windows(int64_t chunk, int64_t tap, const BFloat16** to) const {
    const int64_t down = tap / s_.kernel[2] * s_.dilation[1] - s_.pad[1];
    const int64_t right = tap % s_.kernel[2] * s_.dilation[2] - s_.pad[2];
    const int64_t width = s_.out[2], step = s_.stride[2];
    const int64_t before =
        std::clamp<int64_t>(at::divup(std::max<int64_t>(-right, 0), step), 0, width);
    const int64_t inside =
        std::clamp<int64_t>(at::divup(std::max<int64_t>(s_.in[2] - right, 0), step), before, width);
    int64_t row = chunk * kChunk / width, x = chunk * kChunk % width;
    for (int64_t left = count_of(chunk); left > 0; ++row, x = 0) {
      const int64_t y = row % s_.out[1] * s_.stride[1] + down;
      const int64_t end = std::min(width, x + left);
      left -= end - x;
      if (y < 0 || y >= s_.in[1]) {
        to = std::fill_n(to, end - x, zeros_.get());
        continue;
      }
      const BFloat16* from =
          input_ + ((row / s_.out[1] * s_.in[1] + y) * s_.in[2] + right) * s_.in_channels;
      for (; x < std::min(before, end); ++x) {
        *to++ = zeros_.get();
      }
      for (; x < std::min(inside, end); ++x) {
        *to++ = from + x * step * s_.in_channels;
      }
      to = std::fill_n(to, end - x, zeros_.get());
    }
    std::fill_n(to, -count_of(chunk) & (kTileDepth - 1), zeros_.get());
  }

  // [step][tile]: the words of 8 adjacent channels go to 4 columns of each tile.
  void join_windows(
      const BFloat16* const* windows, int64_t channel, int64_t steps, char* to) const {
    const __mmask32 some = first_halves(s_.in_channels - channel);
    for (int64_t step = 0; step < steps; ++step, to += kTileBytes) {
      for (int64_t k = 0; k < kTileDepth; k += 2, windows += 2, to += 64) {
        const __m512i low = _mm512_maskz_loadu_epi16(some, windows[0] + channel);
        const __m512i high = _mm512_maskz_loadu_epi16(some, windows[1] + channel);
        _mm512_storeu_si512(to, _mm512_unpacklo_epi16(low, high));
        _mm512_storeu_si512(to + kTileBytes, _mm512_unpackhi_epi16(low, high));
      }
    }
  }

  ROUNDING_UNIT void store(int64_t unit) const {
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    const int64_t tap = unit / in_pairs_, channel = unit % in_pairs_ * kTilePair;
    const __mmask32 some = first_halves(s_.in_channels - channel);
    const float* sums = sums_.get() + unit * out_pairs_ * kSums;
    for (int64_t o = 0; o < s_.out_channels; ++o, sums += kTilePair) {
      const __m512i halves = rounded(_mm512_loadu_ps(sums), _mm512_loadu_ps(sums + kTileSide));
      _mm512_mask_storeu_epi16(
          weight_ + (o * taps_ + tap) * s_.in_channels + channel, some,
          _mm512_maskz_permutexvar_epi64(0xff, order, halves));
    }
  }

  const ConvShape& s_;
  const BFloat16 *input_, *output_;
  BFloat16* weight_;
  int64_t taps_, positions_, in_pairs_, out_pairs_;
  Room<BFloat16> zeros_; // a position in the padding
  Room<float> sums_;     // [tap][pair of tiles of in_channels][of out_channels][32][32]
};

void tile_conv_weight(const ConvShape& shape, const void* input, const void* output, void* weight) {
  TileConvWeight(
      shape, static_cast<const BFloat16*>(input), static_cast<const BFloat16*>(output),
      static_cast<BFloat16*>(weight))
      .run();
}

#else // has_tile_unit() is false

void tile_conv_weight(const ConvShape&, const void*, const void*, void*) {}

#endif

} // namespace

REGISTER_DISPATCH(tile_conv_weight_stub, &tile_conv_weight)

} // namespace CPU_CAPABILITY
} // namespace at::native
