#include <ATen/Parallel.h>
#include <ATen/native/WeightedAxis.h>

#if defined(__SSE4_1__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <vector>

namespace at::native {

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

C10_ALWAYS_INLINE __m128i load_weights(const int16_t* weight) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(weight));
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
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
      const __m128i weights = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(weight + k));
      add(bytes, low, _mm_shuffle_epi32(weights, 0x00));
      add(bytes, high, _mm_shuffle_epi32(weights, 0x55));
    }
    if (k < taps) {
      int32_t weights;
      std::memcpy(&weights, weight + k, sizeof(weights));
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
      add(bytes, low, _mm_set1_epi32(weights));
    }
    store_four(sum, shift, to);
  }
}

// The sums of four columns with two, four or any multiple of eight taps.
template <int kTaps>
C10_ALWAYS_INLINE __m128i
four_sums(const ByteAxis& axis, const int64_t* first, const int16_t* weight, const uint8_t* row) {
  if constexpr (kTaps == 2) {
    uint16_t pairs[4];
    for (int i = 0; i < 4; ++i) {
      std::memcpy(&pairs[i], row + first[i], sizeof(pairs[i]));
    }
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(pairs));
    return _mm_madd_epi16(_mm_cvtepu8_epi16(bytes), load_weights(weight));
  } else if constexpr (kTaps == 4) {
    const __m128i low = _mm_unpacklo_epi32(load_four(row + first[0]), load_four(row + first[1]));
    const __m128i high = _mm_unpacklo_epi32(load_four(row + first[2]), load_four(row + first[3]));
    return _mm_hadd_epi32(
        _mm_madd_epi16(_mm_cvtepu8_epi16(low), load_weights(weight)),
        _mm_madd_epi16(_mm_cvtepu8_epi16(high), load_weights(weight + 8)));
  } else {
    __m128i sums[4] = {};
    for (int64_t k = 0; k < axis.taps; k += 8) {
      for (int i = 0; i < 4; ++i) {
        const auto* from = reinterpret_cast<const __m128i*>(row + first[i] + k);
        const __m128i words = _mm_cvtepu8_epi16(_mm_loadl_epi64(from));
        const __m128i by = load_weights(weight + i * axis.taps + k);
        sums[i] = _mm_add_epi32(sums[i], _mm_madd_epi16(words, by));
      }
    }
    return _mm_hadd_epi32(_mm_hadd_epi32(sums[0], sums[1]), _mm_hadd_epi32(sums[2], sums[3]));
  }
}

template <int kTaps>
void mix_plane_columns(const ByteAxis& axis, int64_t, const uint8_t* row, uint8_t* to) {
  const auto count = static_cast<int64_t>(axis.first.size());
  const int16_t* weight = axis.weight.data();
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const int64_t* first = axis.first.data() + i;
    store_four(four_sums<kTaps>(axis, first, weight + i * axis.taps, row), axis.shift, to + i);
  }
  for (; i < count; ++i) {
    mix_pixel(axis, axis.taps, 1, weight + i * axis.taps, row + axis.first[i], to + i);
  }
}
#endif

using ColumnMixer = void (*)(const ByteAxis&, int64_t channels, const uint8_t* row, uint8_t* to);

#if defined(__SSE4_1__)
template <int kChannels>
ColumnMixer pixel_mixer(int64_t taps) {
  return taps == 2 ? &mix_pixels<2, kChannels>
      : taps == 4  ? &mix_pixels<4, kChannels>
                   : &mix_pixels<0, kChannels>;
}
#endif

ColumnMixer column_mixer(const ByteAxis& axis, int64_t channels) {
#if defined(__SSE4_1__)
  if (axis.taps % 2 == 0 && (channels == 3 || channels == 4)) {
    return channels == 3 ? pixel_mixer<3>(axis.taps) : pixel_mixer<4>(axis.taps);
  }
  if (channels == 1 && (axis.taps == 2 || axis.taps == 4)) {
    return axis.taps == 2 ? &mix_plane_columns<2> : &mix_plane_columns<4>;
  }
  if (channels == 1 && axis.taps % 8 == 0) {
    return &mix_plane_columns<8>;
  }
#endif
  if (channels >= 8 && (axis.taps == 2 || axis.taps == 4)) {
    return axis.taps == 2 ? &mix_wide_pixels<2> : &mix_wide_pixels<4>;
  }
  return &mix_columns;
}

void mix_rows(
    const ByteAxis& axis, const int16_t* weight, const std::vector<const uint8_t*>& rows,
    std::vector<int32_t>& sums, uint8_t* to) {
  const auto width = static_cast<int64_t>(sums.size());
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

// The mixed columns of the last rows of a plane that were asked for; row r is in place r % count.
class MixedRows {
 public:
  MixedRows(const ByteImages& images, int64_t count)
      : images_(images),
        mixer_(column_mixer(images.columns, images.channels)),
        width_(images.out_w * images.channels),
        held_(static_cast<size_t>(count), -1),
        bytes_(static_cast<size_t>(count * width_)) {}

  // `at` counts the rows of all planes.
  const uint8_t* row(const uint8_t* in, int64_t at) {
    const uint8_t* from = in + at * images_.in_w * images_.channels;
    if (images_.columns.taps == 0) {
      return from;
    }
    const size_t place = static_cast<size_t>(at) % held_.size();
    uint8_t* to = bytes_.data() + static_cast<int64_t>(place) * width_;
    if (held_[place] != at) {
      mixer_(images_.columns, images_.channels, from, to);
      held_[place] = at;
    }
    return to;
  }

 private:
  const ByteImages& images_;
  ColumnMixer mixer_;
  int64_t width_;
  std::vector<int64_t> held_;
  std::vector<uint8_t> bytes_;
};

void mix_bytes(const ByteImages& images, const uint8_t* in, uint8_t* out) {
  const ByteAxis& rows = images.rows;
  const int64_t width = images.out_w * images.channels;
  const int64_t taps = std::max<int64_t>(1, rows.taps);
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / (taps * width));
  at::parallel_for(0, images.planes * images.out_h, grain, [&](int64_t begin, int64_t end) {
    MixedRows mixed(images, taps);
    std::vector<const uint8_t*> sources(static_cast<size_t>(taps));
    std::vector<int32_t> sums(static_cast<size_t>(width));
    for (int64_t i = begin; i < end; ++i) {
      const int64_t top = i / images.out_h * images.in_h, h = i % images.out_h;
      uint8_t* to = out + i * width;
      if (rows.taps == 0) {
        std::copy_n(mixed.row(in, top + h), width, to);
        continue;
      }
      for (int64_t k = 0; k < taps; ++k) {
        sources[k] = mixed.row(in, top + rows.first[h] + k);
      }
      mix_rows(rows, rows.weight.data() + h * taps, sources, sums, to);
    }
  });
}

} // namespace

REGISTER_DISPATCH(mix_bytes_stub, &mix_bytes)

} // namespace at::native
