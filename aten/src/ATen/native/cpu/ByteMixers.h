#pragma once

// Mixtures of rows and columns of bytes, by weights in fixed point.

#include <ATen/native/WeightedAxis.h>

#if defined(__SSE4_1__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

uint8_t stored(int32_t sum, int shift) {
  return static_cast<uint8_t>(std::clamp(sum >> shift, 0, 255));
}

C10_ALWAYS_INLINE void mix_pixel(
    const ByteAxis& axis, int64_t taps, int64_t channels, const int16_t* weight,
    const uint8_t* from, uint8_t* to) {
  for (int64_t c = 0; c < channels; ++c) {
    int32_t sum = 1 << (axis.shift - 1);
    for (int64_t k = 0; k < taps; ++k) {
      sum += weight[k] * from[k * channels + c];
    }
    to[c] = stored(sum, axis.shift);
  }
}

// The number of rows as a constant keeps the sums in registers.
template <int kRows>
void mix_few_rows(
    int shift, const int16_t* weight, const uint8_t* const* rows, int64_t width,
    uint8_t* __restrict to) {
  const uint8_t* __restrict row[kRows];
  int32_t by[kRows];
  for (int k = 0; k < kRows; ++k) {
    row[k] = rows[k];
    by[k] = weight[k];
  }
  for (int64_t w = 0; w < width; ++w) {
    int32_t sum = 1 << (shift - 1);
    for (int k = 0; k < kRows; ++k) {
      sum += by[k] * row[k][w];
    }
    to[w] = stored(sum, shift);
  }
}

void mix_columns(const ByteAxis& axis, int64_t channels, const uint8_t* row, uint8_t* to) {
  const int16_t* weight = axis.weight.data();
  for (const int64_t first : axis.first) {
    mix_pixel(axis, axis.taps, channels, weight, row + first * channels, to);
    weight += axis.taps;
    to += channels;
  }
}

// Mixes the channels of a few pixels as if they were rows.
template <int kTaps>
void mix_wide_pixels(const ByteAxis& axis, int64_t channels, const uint8_t* row, uint8_t* to) {
  const int16_t* weight = axis.weight.data();
  for (const int64_t first : axis.first) {
    const uint8_t* pixels[kTaps];
    for (int k = 0; k < kTaps; ++k) {
      pixels[k] = row + (first + k) * channels;
    }
    mix_few_rows<kTaps>(axis.shift, weight, pixels, channels, to);
    weight += kTaps;
    to += channels;
  }
}

#if defined(__SSE4_1__)
// Weights and bytes are multiplied as 16-bit numbers and added in pairs of taps.

C10_ALWAYS_INLINE __m128i load_four(const uint8_t* from) {
  int32_t bytes;
  std::memcpy(&bytes, from, sizeof(bytes));
  return _mm_cvtsi32_si128(bytes);
}

C10_ALWAYS_INLINE void store_four(__m128i sums, int shift, uint8_t* to) {
  sums = _mm_add_epi32(sums, _mm_set1_epi32(1 << (shift - 1)));
  sums = _mm_packs_epi32(_mm_sra_epi32(sums, _mm_cvtsi32_si128(shift)), _mm_setzero_si128());
  const int32_t bytes = _mm_cvtsi128_si32(_mm_packus_epi16(sums, sums));
  std::memcpy(to, &bytes, sizeof(bytes));
}

C10_ALWAYS_INLINE __m128i load_sixteen(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

C10_ALWAYS_INLINE __m128i load_eight(const void* from) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(from));
}

// The places of two adjacent pixels' bytes in a register of 16-bit numbers, by channel.
template <int kChannels>
C10_ALWAYS_INLINE __m128i pixel_pairs(char first) {
  const char a = first, b = static_cast<char>(first + kChannels);
  const auto at = [](char from, char channel) { return static_cast<char>(from + channel); };
  const char last = kChannels == 4 ? at(a, 3) : -1, next = kChannels == 4 ? at(b, 3) : -1;
  return _mm_setr_epi8(
      a, -1, b, -1, at(a, 1), -1, at(b, 1), -1, at(a, 2), -1, at(b, 2), -1, last, -1, next, -1);
}

#if defined(__AVX2__)
// The mix of 32 columns of any number of rows, two of which are added at a time.
C10_ALWAYS_INLINE void mix_many_columns(
    int shift, const int16_t* weight, const uint8_t* const* rows, int64_t count, int64_t at,
    uint8_t* to) {
  const __m256i zero = _mm256_setzero_si256();
  const auto load = [&](int64_t k) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[k] + at));
  };
  __m256i sums[4]; // each half sums four columns
  std::fill_n(sums, 4, _mm256_set1_epi32(1 << (shift - 1)));
  const auto add = [&](__m256i a, __m256i b, int32_t weights) {
    const __m256i by = _mm256_set1_epi32(weights);
    const __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
    const __m256i pairs[] = {
        _mm256_unpacklo_epi8(low, zero), _mm256_unpackhi_epi8(low, zero),
        _mm256_unpacklo_epi8(high, zero), _mm256_unpackhi_epi8(high, zero)};
    for (int i = 0; i < 4; ++i) {
      sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(pairs[i], by));
    }
  };
  int64_t k = 0;
  for (; k + 2 <= count; k += 2) {
    int32_t pair;
    std::memcpy(&pair, weight + k, sizeof(pair));
    add(load(k), load(k + 1), pair);
  }
  if (k < count) {
    add(load(k), zero, static_cast<uint16_t>(weight[k]));
  }
  const __m128i bits = _mm_cvtsi32_si128(shift);
  for (__m256i& sum : sums) {
    sum = _mm256_sra_epi32(sum, bits);
  }
  const __m256i bytes = _mm256_packus_epi16(
      _mm256_packs_epi32(sums[0], sums[1]), _mm256_packs_epi32(sums[2], sums[3]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at), bytes);
}
#endif

// The channels of a pixel are the lanes of a register. Three of them are read and written with
// bytes of the next pixels, except at the end of a row. The number of taps is even; zero stands for
// any.
template <int kTaps, int kChannels>
void mix_pixels(const ByteAxis& axis, int64_t /*channels*/, const uint8_t* row, uint8_t* to) {
  const auto count = static_cast<int64_t>(axis.first.size());
  const int64_t taps = kTaps == 0 ? axis.taps : kTaps;
  const __m128i low = pixel_pairs<kChannels>(0), high = pixel_pairs<kChannels>(2 * kChannels);
  const int16_t* weight = axis.weight.data();
  const int64_t* firsts = axis.first.data();
  const int64_t size = axis.size;
  const int shift = axis.shift;
  for (int64_t i = 0; i < count; ++i, weight += taps, to += kChannels) {
    const int64_t first = firsts[i];
    const uint8_t* from = row + first * kChannels;
    if (kChannels == 3 && (first + taps + 2 > size || i + 1 == count)) {
      mix_pixel(axis, taps, kChannels, weight, from, to);
      continue;
    }
    __m128i sum = _mm_setzero_si128();
    const auto add = [&](__m128i bytes, __m128i places, __m128i weights) {
      sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_shuffle_epi8(bytes, places), weights));
    };
    int64_t k = 0;
    for (; k + 4 <= taps; k += 4, from += 4 * kChannels) {
      const __m128i bytes = load_sixteen(from);
      const __m128i weights = load_eight(weight + k);
      add(bytes, low, _mm_shuffle_epi32(weights, 0x00));
      add(bytes, high, _mm_shuffle_epi32(weights, 0x55));
    }
    if (k < taps) {
      int32_t weights;
      std::memcpy(&weights, weight + k, sizeof(weights));
      add(load_eight(from), low, _mm_set1_epi32(weights));
    }
    store_four(sum, shift, to);
  }
}

#if defined(__AVX2__)
C10_ALWAYS_INLINE __m256i both(__m128i first, __m128i second) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

C10_ALWAYS_INLINE void store_pixel(int32_t bytes, bool whole, uint8_t* to) {
  if (C10_LIKELY(whole)) {
    std::memcpy(to, &bytes, sizeof(bytes));
  } else {
    const auto two = static_cast<int16_t>(bytes);
    std::memcpy(to, &two, sizeof(two));
    to[2] = static_cast<uint8_t>(bytes >> 16);
  }
}

C10_ALWAYS_INLINE __m256i pair_of_weights(const int16_t* weight) {
  int32_t pair;
  std::memcpy(&pair, weight, sizeof(pair));
  return _mm256_set1_epi32(pair);
}

// The same for a row and the next one, `step` bytes on, whose pixels are the halves of a register.
// Bytes up to `end` may be read.
template <int kTaps, int kChannels>
void mix_pixels_of_two_rows(
    const ByteAxis& axis, const uint8_t* row, int64_t step, const uint8_t* end, uint8_t* to) {
  const auto count = static_cast<int64_t>(axis.first.size());
  const int64_t taps = kTaps == 0 ? axis.taps : kTaps;
  const __m256i low = _mm256_broadcastsi128_si256(pixel_pairs<kChannels>(0));
  const __m256i high = _mm256_broadcastsi128_si256(pixel_pairs<kChannels>(2 * kChannels));
  const __m256i half = _mm256_set1_epi32(1 << (axis.shift - 1));
  const __m256i shifts = _mm256_set1_epi32(axis.shift);
  const int16_t* weight = axis.weight.data();
  const int64_t* firsts = axis.first.data();
  const int64_t width = count * kChannels;
  for (int64_t i = 0; i < count; ++i, weight += taps, to += kChannels) {
    const uint8_t* from = row + firsts[i] * kChannels;
    if (kChannels == 3 && C10_UNLIKELY(end - from < step + taps * kChannels + 4)) {
      mix_pixel(axis, taps, kChannels, weight, from, to);
      mix_pixel(axis, taps, kChannels, weight, from + step, to + width);
      continue;
    }
    __m256i sum = half;
    const auto add = [&](__m256i bytes, __m256i places, __m256i weights) {
      const __m256i products = _mm256_madd_epi16(_mm256_shuffle_epi8(bytes, places), weights);
      sum = _mm256_add_epi32(sum, products);
    };
    int64_t k = 0;
    for (; k + 4 <= taps; k += 4, from += 4 * kChannels) {
      const __m256i bytes = both(load_sixteen(from), load_sixteen(from + step));
      add(bytes, low, pair_of_weights(weight + k));
      add(bytes, high, pair_of_weights(weight + k + 2));
    }
    if (k < taps) {
      add(both(load_eight(from), load_eight(from + step)), low, pair_of_weights(weight + k));
    }
    sum = _mm256_srav_epi32(sum, shifts);
    const __m256i words = _mm256_packs_epi32(sum, sum), bytes = _mm256_packus_epi16(words, words);
    const bool whole = kChannels == 4 || i + 1 < count; // a fourth byte may be the next row's
    store_pixel(_mm256_extract_epi32(bytes, 0), whole, to);
    store_pixel(_mm256_extract_epi32(bytes, 4), whole, to + width);
  }
}
#endif

// The sums of four columns with two, four or (zero stands for it) any multiple of eight taps.
template <int kTaps>
C10_ALWAYS_INLINE __m128i
four_sums(int64_t taps, const int64_t* first, const int16_t* weight, const uint8_t* row) {
  if constexpr (kTaps == 2) {
    uint16_t pairs[4];
    for (int i = 0; i < 4; ++i) {
      std::memcpy(&pairs[i], row + first[i], sizeof(pairs[i]));
    }
    return _mm_madd_epi16(_mm_cvtepu8_epi16(load_eight(pairs)), load_sixteen(weight));
  } else if constexpr (kTaps == 4) {
    const __m128i low = _mm_unpacklo_epi32(load_four(row + first[0]), load_four(row + first[1]));
    const __m128i high = _mm_unpacklo_epi32(load_four(row + first[2]), load_four(row + first[3]));
    return _mm_hadd_epi32(
        _mm_madd_epi16(_mm_cvtepu8_epi16(low), load_sixteen(weight)),
        _mm_madd_epi16(_mm_cvtepu8_epi16(high), load_sixteen(weight + 8)));
  } else {
    __m128i sums[4] = {};
    for (int64_t k = 0; k < taps; k += 8) {
      for (int i = 0; i < 4; ++i) {
        const __m128i words = _mm_cvtepu8_epi16(load_eight(row + first[i] + k));
        const __m128i by = load_sixteen(weight + i * taps + k);
        sums[i] = _mm_add_epi32(sums[i], _mm_madd_epi16(words, by));
      }
    }
    return _mm_hadd_epi32(_mm_hadd_epi32(sums[0], sums[1]), _mm_hadd_epi32(sums[2], sums[3]));
  }
}

#if defined(__AVX2__)
C10_ALWAYS_INLINE __m256i products(__m128i bytes, const int16_t* weight) {
  const __m256i by = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weight));
  return _mm256_madd_epi16(_mm256_cvtepu8_epi16(bytes), by);
}

template <>
C10_ALWAYS_INLINE __m128i
four_sums<8>(int64_t, const int64_t* first, const int16_t* weight, const uint8_t* row) {
  const auto two = [&](int i) {
    const __m128i a = load_eight(row + first[i]), b = load_eight(row + first[i + 1]);
    return products(_mm_unpacklo_epi64(a, b), weight + i * 8);
  };
  const __m256i half = _mm256_hadd_epi32(two(0), two(2)), all = _mm256_hadd_epi32(half, half);
  return _mm_unpacklo_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

template <>
C10_ALWAYS_INLINE __m128i
four_sums<16>(int64_t, const int64_t* first, const int16_t* weight, const uint8_t* row) {
  const auto one = [&](int i) { return products(load_sixteen(row + first[i]), weight + i * 16); };
  const __m256i all =
      _mm256_hadd_epi32(_mm256_hadd_epi32(one(0), one(1)), _mm256_hadd_epi32(one(2), one(3)));
  return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}
#endif

template <int kTaps>
void mix_plane_columns(const ByteAxis& axis, int64_t, const uint8_t* row, uint8_t* to) {
  const auto count = static_cast<int64_t>(axis.first.size());
  const int64_t taps = kTaps == 0 ? axis.taps : kTaps;
  const int16_t* weight = axis.weight.data();
  const int64_t* first = axis.first.data();
  const int shift = axis.shift;
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    store_four(four_sums<kTaps>(taps, first + i, weight + i * taps, row), shift, to + i);
  }
  for (; i < count; ++i) {
    mix_pixel(axis, taps, 1, weight + i * taps, row + first[i], to + i);
  }
}
#endif

using ColumnMixer = void (*)(const ByteAxis&, int64_t channels, const uint8_t* row, uint8_t* to);
using TwoRowMixer =
    void (*)(const ByteAxis&, const uint8_t* row, int64_t step, const uint8_t* end, uint8_t* to);

// Calls f with the number of taps as a constant if it is usual, and otherwise with zero.
template <typename F>
auto with_taps(int64_t taps, const F& f) {
  switch (taps) {
    case 2:
      return f(std::integral_constant<int, 2>());
    case 4:
      return f(std::integral_constant<int, 4>());
    case 6:
      return f(std::integral_constant<int, 6>());
    case 8:
      return f(std::integral_constant<int, 8>());
    case 10:
      return f(std::integral_constant<int, 10>());
    default:
      return f(std::integral_constant<int, 0>());
  }
}

ColumnMixer column_mixer(const ByteAxis& axis, int64_t channels) {
#if defined(__SSE4_1__)
  if (axis.taps % 2 == 0 && (channels == 3 || channels == 4)) {
    return with_taps(axis.taps, [&](auto taps) -> ColumnMixer {
      return channels == 3 ? &mix_pixels<taps(), 3> : &mix_pixels<taps(), 4>;
    });
  }
  if (channels == 1) {
    switch (axis.taps) {
      case 2:
        return &mix_plane_columns<2>;
      case 4:
        return &mix_plane_columns<4>;
#if defined(__AVX2__)
      case 8:
        return &mix_plane_columns<8>;
      case 16:
        return &mix_plane_columns<16>;
#endif
      default:
        return axis.taps % 8 == 0 ? &mix_plane_columns<0> : &mix_columns;
    }
  }
#endif
  if (channels >= 8 && (axis.taps == 2 || axis.taps == 4)) {
    return axis.taps == 2 ? &mix_wide_pixels<2> : &mix_wide_pixels<4>;
  }
  return &mix_columns;
}

// Returns what mixes two rows in less time than one after the other, or null.
TwoRowMixer two_row_mixer(const ByteAxis& axis, int64_t channels) {
#if defined(__AVX2__)
  if (axis.taps % 2 == 0 && axis.taps > 0 && (channels == 3 || channels == 4)) {
    return with_taps(axis.taps, [&](auto taps) -> TwoRowMixer {
      return channels == 3 ? &mix_pixels_of_two_rows<taps(), 3>
                           : &mix_pixels_of_two_rows<taps(), 4>;
    });
  }
#endif
  return nullptr;
}

void mix_rows(
    const ByteAxis& axis, const int16_t* weight, const std::vector<const uint8_t*>& rows,
    std::vector<int32_t>& sums, uint8_t* to) {
  const auto width = static_cast<int64_t>(sums.size());
#if defined(__AVX2__)
  if (width >= 32) {
    const auto count = static_cast<int64_t>(rows.size());
    for (int64_t at = 0; at < width; at += 32) { // the last columns end at the end
      mix_many_columns(axis.shift, weight, rows.data(), count, std::min(at, width - 32), to);
    }
    return;
  }
#endif
  if (rows.size() == 2) {
    return mix_few_rows<2>(axis.shift, weight, rows.data(), width, to);
  }
  if (rows.size() == 4) {
    return mix_few_rows<4>(axis.shift, weight, rows.data(), width, to);
  }
  std::fill(sums.begin(), sums.end(), 1 << (axis.shift - 1));
  int32_t* __restrict sum = sums.data();
  for (size_t k = 0; k < rows.size(); ++k) {
    const int32_t by = weight[k];
    const uint8_t* row = rows[k];
    for (int64_t w = 0; w < width; ++w) {
      sum[w] += by * row[w];
    }
  }
  for (int64_t w = 0; w < width; ++w) {
    to[w] = stored(sum[w], axis.shift);
  }
}

} // namespace
} // namespace CPU_CAPABILITY
} // namespace at::native
