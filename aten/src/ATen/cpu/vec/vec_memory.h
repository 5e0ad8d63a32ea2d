#pragma once

#include <ATen/cpu/vec/vec_base.h>

// Loads and stores, converting between what memory holds and what lanes hold.

namespace at::vec {
inline namespace CPU_CAPABILITY {

#if defined(__AVX512F__)
// The unmasked intrinsics read an undefined register, of which GCC 12 warns.
constexpr __mmask16 kAllLanes = 0xffff;
#endif

template <int N>
C10_ALWAYS_INLINE Lanes<float, N> widen_half(Lanes<uint16_t, N> bits) {
#if defined(__AVX512F__)
  if constexpr (N == 16) {
    return reinterpret_cast<Lanes<float, N>>(_mm512_maskz_cvtph_ps(kAllLanes, reinterpret_cast<__m256i>(bits)));
  }
#endif
#if defined(__F16C__)
  if constexpr (N == 8) {
    return reinterpret_cast<Lanes<float, N>>(_mm256_cvtph_ps(reinterpret_cast<__m128i>(bits)));
  }
#endif
  Lanes<float, N> result;
  for (int i = 0; i < N; ++i) {
    result[i] = c10::detail::half_to_float(bits[i]);
  }
  return result;
}

template <int N>
C10_ALWAYS_INLINE Lanes<uint16_t, N> narrow_half(Lanes<float, N> value) {
#if defined(__AVX512F__)
  if constexpr (N == 16) {
    return reinterpret_cast<Lanes<uint16_t, N>>(
        _mm512_maskz_cvtps_ph(kAllLanes, reinterpret_cast<__m512>(value), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
#if defined(__F16C__)
  if constexpr (N == 8) {
    return reinterpret_cast<Lanes<uint16_t, N>>(
        _mm256_cvtps_ph(reinterpret_cast<__m256>(value), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  Lanes<uint16_t, N> result;
  for (int i = 0; i < N; ++i) {
    result[i] = c10::detail::float_to_half(value[i]);
  }
  return result;
}

template <int N>
C10_ALWAYS_INLINE Lanes<float, N> widen_bfloat16(Lanes<uint16_t, N> bits) {
  return reinterpret_cast<Lanes<float, N>>(convert_lanes<uint32_t>(bits) << 16);
}

// Round to nearest, ties to even; every NaN becomes the quiet one.
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

// A comparison's lanes may be stored as bool directly.
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

// The first `count` < N elements; the rest of the buffer is left alone.
template <size_t ElementBytes>
C10_ALWAYS_INLINE void copy_elements(void* target, const void* source, int64_t count) {
#if defined(__AVX512BW__)
  if constexpr (ElementBytes == 4 || ElementBytes == 8) {
    if (count * ElementBytes <= 64) {
      const auto mask = static_cast<__mmask16>((1u << (count * ElementBytes / 4)) - 1);
      _mm512_mask_storeu_epi32(target, mask, _mm512_maskz_loadu_epi32(mask, source));
      return;
    }
  }
#endif
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * ElementBytes, from + i * ElementBytes, ElementBytes);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
