#pragma once

#include <ATen/cpu/vec/vec_base.h>

// Loads and stores that convert between the types in memory and in lanes.

namespace at::vec {
inline namespace CPU_CAPABILITY {

template <int N>
C10_ALWAYS_INLINE Lanes<float, N> widen_half(Lanes<uint16_t, N> bits) {
#if defined(__AVX512F__)
  if constexpr (N == 16) {
    return reinterpret_cast<Lanes<float, N>>(
        _mm512_maskz_cvtph_ps(__mmask16(0xffff), reinterpret_cast<__m256i>(bits)));
  }
#endif
#if defined(__F16C__)
  if constexpr (N == 8) {
    return reinterpret_cast<Lanes<float, N>>(_mm256_cvtph_ps(reinterpret_cast<__m128i>(bits)));
  }
#endif
  Lanes<float, N> result = {};
  for (int i = 0; i < N; ++i) {
    result[i] = c10::detail::half_to_float(bits[i]);
  }
  return result;
}

template <int N>
C10_ALWAYS_INLINE Lanes<uint16_t, N> narrow_half(Lanes<float, N> value) {
#if defined(__AVX512F__)
  if constexpr (N == 16) {
    return reinterpret_cast<Lanes<uint16_t, N>>(_mm512_maskz_cvtps_ph(
        __mmask16(0xffff), reinterpret_cast<__m512>(value), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
#if defined(__F16C__)
  if constexpr (N == 8) {
    return reinterpret_cast<Lanes<uint16_t, N>>(
        _mm256_cvtps_ph(reinterpret_cast<__m256>(value), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  Lanes<uint16_t, N> result = {};
  for (int i = 0; i < N; ++i) {
    result[i] = c10::detail::float_to_half(value[i]);
  }
  return result;
}

template <int N>
C10_ALWAYS_INLINE Lanes<float, N> widen_bfloat16(Lanes<uint16_t, N> bits) {
  return reinterpret_cast<Lanes<float, N>>(convert_lanes<uint32_t>(bits) << 16);
}

// Rounds to nearest, ties to even; every NaN becomes the same quiet NaN.
template <int N>
C10_ALWAYS_INLINE Lanes<uint16_t, N> narrow_bfloat16(Lanes<float, N> value) {
  const auto word = reinterpret_cast<Lanes<uint32_t, N>>(value);
  const auto rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
  const auto result = value == value ? rounded : Lanes<uint32_t, N>{} + 0x7fc0u;
  return convert_lanes<uint16_t>(result);
}

template <typename T, int N>
C10_ALWAYS_INLINE Lanes<lane_type<T>, N> load(const void* source) {
  if constexpr (std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>) {
    Lanes<uint16_t, N> bits;
    std::memcpy(&bits, source, sizeof(bits));
    if constexpr (std::is_same_v<T, c10::Half>) {
      return widen_half<N>(bits);
    } else {
      return widen_bfloat16<N>(bits);
    }
  } else {
    Lanes<lane_type<T>, N> result;
    std::memcpy(&result, source, sizeof(result));
    return result;
  }
}

// The lanes of a comparison can be stored as bool directly.
template <typename T, int N, typename V>
C10_ALWAYS_INLINE void store(void* target, V value) {
  if constexpr (std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>) {
    Lanes<uint16_t, N> bits;
    if constexpr (std::is_same_v<T, c10::Half>) {
      bits = narrow_half<N>(value);
    } else {
      bits = narrow_bfloat16<N>(value);
    }
    std::memcpy(target, &bits, sizeof(bits));
  } else if constexpr (std::is_same_v<T, bool> && !std::is_same_v<element_of<V>, uint8_t>) {
    const auto bits = to_bool(value);
    std::memcpy(target, &bits, sizeof(bits));
  } else {
    static_assert(sizeof(V) == sizeof(lane_type<T>) * N);
    std::memcpy(target, &value, sizeof(value));
  }
}

#if defined(__AVX512BW__) && defined(__AVX512VL__)
// The sizes of the blocks that a masked instruction moves; others take a buffer.
template <size_t Bytes, size_t ElementBytes>
inline constexpr bool is_maskable = Bytes == 16 || Bytes == 32 || Bytes == 64;

// The mask of the first `count` words.
C10_ALWAYS_INLINE uint64_t first_words(int64_t count) {
  return (uint64_t{1} << count) - 1;
}
// The mask of the first `count` <= 64 bytes.
C10_ALWAYS_INLINE uint64_t first_bytes(int64_t count) {
  return count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

// Loads the first `count` elements; the others are those of `rest`.
template <size_t Bytes, size_t ElementBytes, typename V>
C10_ALWAYS_INLINE auto masked_load(const void* source, int64_t count, V rest) {
  if constexpr (ElementBytes >= 4) {
    const uint64_t mask = first_words(count * (ElementBytes / 4));
    if constexpr (Bytes == 64) {
      return _mm512_mask_loadu_epi32(
          reinterpret_cast<__m512i>(rest), static_cast<__mmask16>(mask), source);
    } else if constexpr (Bytes == 32) {
      return _mm256_mask_loadu_epi32(
          reinterpret_cast<__m256i>(rest), static_cast<__mmask8>(mask), source);
    } else {
      return _mm_mask_loadu_epi32(
          reinterpret_cast<__m128i>(rest), static_cast<__mmask8>(mask), source);
    }
  } else {
    const uint64_t mask = first_bytes(count * ElementBytes);
    if constexpr (Bytes == 64) {
      return _mm512_mask_loadu_epi8(
          reinterpret_cast<__m512i>(rest), static_cast<__mmask64>(mask), source);
    } else if constexpr (Bytes == 32) {
      return _mm256_mask_loadu_epi8(
          reinterpret_cast<__m256i>(rest), static_cast<__mmask32>(mask), source);
    } else {
      return _mm_mask_loadu_epi8(
          reinterpret_cast<__m128i>(rest), static_cast<__mmask16>(mask), source);
    }
  }
}

// Stores the first `count` elements of the block at `from`.
template <size_t Bytes, size_t ElementBytes>
C10_ALWAYS_INLINE void masked_store(void* target, const void* from, int64_t count) {
  if constexpr (Bytes == 64) {
    __m512i value;
    std::memcpy(&value, from, sizeof(value));
    if constexpr (ElementBytes >= 4) {
      const auto mask = static_cast<__mmask16>(first_words(count * (ElementBytes / 4)));
      _mm512_mask_storeu_epi32(target, mask, value);
    } else {
      _mm512_mask_storeu_epi8(
          target, static_cast<__mmask64>(first_bytes(count * ElementBytes)), value);
    }
  } else if constexpr (Bytes == 32) {
    __m256i value;
    std::memcpy(&value, from, sizeof(value));
    const auto mask = static_cast<__mmask32>(first_bytes(count * ElementBytes));
    _mm256_mask_storeu_epi8(target, mask, value);
  } else {
    __m128i value;
    std::memcpy(&value, from, sizeof(value));
    const auto mask = static_cast<__mmask16>(first_bytes(count * ElementBytes));
    _mm_mask_storeu_epi8(target, mask, value);
  }
}
#elif defined(__AVX2__)
template <size_t Bytes, size_t ElementBytes>
inline constexpr bool is_maskable = Bytes == 32 && (ElementBytes == 4 || ElementBytes == 8);

// The mask of the first `count` words.
C10_ALWAYS_INLINE __m256i first_words(int64_t count) {
  return _mm256_cmpgt_epi32(
      _mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

template <size_t Bytes, size_t ElementBytes, typename V>
C10_ALWAYS_INLINE auto masked_load(const void* source, int64_t count, V rest) {
  const __m256i mask = first_words(count * (ElementBytes / 4));
  const __m256i value = _mm256_maskload_epi32(static_cast<const int*>(source), mask);
  return _mm256_blendv_epi8(reinterpret_cast<__m256i>(rest), value, mask);
}

template <size_t Bytes, size_t ElementBytes>
C10_ALWAYS_INLINE void masked_store(void* target, const void* from, int64_t count) {
  __m256i value;
  std::memcpy(&value, from, sizeof(value));
  _mm256_maskstore_epi32(static_cast<int*>(target), first_words(count * (ElementBytes / 4)), value);
}
#else
template <size_t Bytes, size_t ElementBytes>
inline constexpr bool is_maskable = false;
#endif

// Loads the first `count` <= N elements and sets the rest to 0; stores likewise. With masked
// instructions no memory beyond them is touched and no buffer is needed.
template <typename T, int N>
C10_ALWAYS_INLINE Lanes<lane_type<T>, N> load_first(const void* source, int64_t count) {
  constexpr size_t kBytes = sizeof(T) * N;
#if defined(__AVX2__)
  if constexpr (is_maskable<kBytes, sizeof(T)>) {
    const auto bits = masked_load<kBytes, sizeof(T)>(source, count, Lanes<uint8_t, kBytes>{});
    return load<T, N>(&bits);
  }
#endif
  alignas(64) char buffer[kBytes] = {};
  std::memcpy(buffer, source, count * sizeof(T));
  return load<T, N>(buffer);
}

// The same, but sets the rest to `fill`.
template <typename T, int N>
C10_ALWAYS_INLINE Lanes<lane_type<T>, N> load_first(const void* source, int64_t count, T fill) {
  using Bits = std::make_unsigned_t<int_like<T>>;
  const Lanes<Bits, N> copies = std::bit_cast<Bits>(fill) - Lanes<Bits, N>{};
#if defined(__AVX2__)
  if constexpr (is_maskable<sizeof(T) * N, sizeof(T)>) {
    const auto bits = masked_load<sizeof(T) * N, sizeof(T)>(source, count, copies);
    return load<T, N>(&bits);
  }
#endif
  alignas(64) char buffer[sizeof(T) * N];
  std::memcpy(buffer, &copies, sizeof(buffer));
  std::memcpy(buffer, source, count * sizeof(T));
  return load<T, N>(buffer);
}

template <typename T, int N, typename V>
C10_ALWAYS_INLINE void store_first(void* target, V value, int64_t count) {
  alignas(64) char buffer[sizeof(T) * N];
  store<T, N>(buffer, value);
#if defined(__AVX2__)
  if constexpr (is_maskable<sizeof(T) * N, sizeof(T)>) {
    masked_store<sizeof(T) * N, sizeof(T)>(target, buffer, count);
    return;
  }
#endif
  std::memcpy(target, buffer, count * sizeof(T));
}

// Copies `count` elements, at most 64 bytes.
template <size_t ElementBytes>
C10_ALWAYS_INLINE void copy_elements(void* target, const void* source, int64_t count) {
#if defined(__AVX512BW__)
  if constexpr (ElementBytes == 4 || ElementBytes == 8) {
    const auto mask = static_cast<__mmask16>((1u << (count * ElementBytes / 4)) - 1);
    _mm512_mask_storeu_epi32(target, mask, _mm512_maskz_loadu_epi32(mask, source));
    return;
  }
#endif
  std::memcpy(target, source, count * ElementBytes);
}

// N copies of the element at `source`, as they would be stored in memory.
template <typename T, int N>
C10_ALWAYS_INLINE void fill_copies(char* target, const char* source) {
  if constexpr (sizeof(T) <= 8) {
    using Bits = std::make_unsigned_t<int_like<T>>;
    Bits bits;
    std::memcpy(&bits, source, sizeof(T));
    const Lanes<Bits, N> copies = bits - Lanes<Bits, N>{};
    std::memcpy(target, &copies, sizeof(copies));
  } else {
    for (int i = 0; i < N; ++i) {
      std::memcpy(target + i * sizeof(T), source, sizeof(T));
    }
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
