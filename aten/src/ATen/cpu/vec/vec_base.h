#pragma once

#include <c10/macros/Macros.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

// SIMD on top of the compiler's vector extensions. A Lanes<T, N> is a vector of N elements; + - *
// /, comparisons (all ones or zeros per lane), ?: and bit operations work on it as on a number. The
// kernels are compiled once per capability; kVectorBytes is the width of a register there.

#if !defined(CPU_CAPABILITY)
#define CPU_CAPABILITY DEFAULT
#endif

#pragma GCC diagnostic ignored "-Wpsabi" // everything here is inlined

namespace at::vec {
inline namespace CPU_CAPABILITY {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <typename T, int N>
struct LanesOf {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};
template <typename T, int N>
using Lanes = typename LanesOf<T, N>::type;

template <typename V>
using element_of = std::remove_cvref_t<decltype(std::declval<V&>()[0])>;
template <typename V>
constexpr int lanes_of = sizeof(V) / sizeof(element_of<V>);

// The integer type that comparing T yields per lane, and the corresponding unsigned type.
template <size_t Bytes>
struct IntOfSize;
template <>
struct IntOfSize<1> {
  using type = int8_t;
};
template <>
struct IntOfSize<2> {
  using type = int16_t;
};
template <>
struct IntOfSize<4> {
  using type = int32_t;
};
template <>
struct IntOfSize<8> {
  using type = int64_t;
};
template <typename T>
using int_like = typename IntOfSize<sizeof(T)>::type;
template <typename V>
using mask_of = Lanes<int_like<element_of<V>>, lanes_of<V>>;
template <typename V>
using bits_of = Lanes<std::make_unsigned_t<int_like<element_of<V>>>, lanes_of<V>>;

// The type in which a lane is computed: 16-bit floats become float, bool becomes a byte.
template <typename T>
struct LaneType {
  using type = T;
};
template <>
struct LaneType<c10::Half> {
  using type = float;
};
template <>
struct LaneType<c10::BFloat16> {
  using type = float;
};
template <>
struct LaneType<bool> {
  using type = uint8_t;
};
template <typename T>
using lane_type = typename LaneType<T>::type;

template <typename V, typename T>
C10_ALWAYS_INLINE V splat(T value) {
  // Minus zero, not plus zero: x - 0 is x for every x, including -0.0, and the compiler may fold
  // it.
  return static_cast<element_of<V>>(value) - V{};
}

template <typename To, typename V>
C10_ALWAYS_INLINE auto convert_lanes(V value) {
  return __builtin_convertvector(value, Lanes<To, lanes_of<V>>);
}

template <typename To, typename V>
C10_ALWAYS_INLINE To reinterpret_lanes(V value) {
  return reinterpret_cast<To>(value);
}

// Turns a comparison into 0 or 1 per lane, as a bool tensor stores it.
template <typename Mask>
C10_ALWAYS_INLINE auto to_bool(Mask mask) {
  if constexpr (sizeof(element_of<Mask>) == 1) {
    return reinterpret_cast<Lanes<uint8_t, lanes_of<Mask>>>(mask) & uint8_t(1);
  } else {
    return convert_lanes<uint8_t>(mask) & uint8_t(1);
  }
}

template <typename Mask>
C10_ALWAYS_INLINE bool any_lane(Mask mask) {
  using Word = Lanes<int64_t, sizeof(Mask) / 8>;
  if constexpr (sizeof(Mask) < 16) {
    bool any = false;
    for (int i = 0; i < lanes_of<Mask>; ++i) {
      any = any || mask[i] != 0;
    }
    return any;
  } else {
#if defined(__AVX512F__)
    if constexpr (sizeof(Mask) == 64) {
      const auto words = reinterpret_cast<__m512i>(mask);
      return _mm512_test_epi32_mask(words, words) != 0;
    }
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(Mask) == 32) {
      const auto words = reinterpret_cast<__m256i>(mask);
      return _mm256_testz_si256(words, words) == 0;
    }
#endif
    const Word words = reinterpret_cast<Word>(mask);
    int64_t all = 0;
    for (int i = 0; i < lanes_of<Word>; ++i) {
      all |= words[i];
    }
    return all != 0;
  }
}

// a * b + c, rounded once where the machine has FMA.
template <typename V>
C10_ALWAYS_INLINE V fma(V a, V b, V c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && std::is_same_v<element_of<V>, float>) {
    return reinterpret_cast<V>(_mm512_fmadd_ps(
        reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
  }
  if constexpr (sizeof(V) == 64 && std::is_same_v<element_of<V>, double>) {
    return reinterpret_cast<V>(_mm512_fmadd_pd(
        reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
  }
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32 && std::is_same_v<element_of<V>, float>) {
    return reinterpret_cast<V>(_mm256_fmadd_ps(
        reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
  }
  if constexpr (sizeof(V) == 32 && std::is_same_v<element_of<V>, double>) {
    return reinterpret_cast<V>(_mm256_fmadd_pd(
        reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
  }
#endif
  return a * b + c;
}
constexpr bool has_fma =
#if defined(__FMA__)
    true;
#else
    false;
#endif

template <typename V>
C10_ALWAYS_INLINE V sqrt_exact(V value) {
  using T = element_of<V>;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && std::is_same_v<T, float>) {
    return reinterpret_cast<V>(
        _mm512_maskz_sqrt_ps(__mmask16(-1), reinterpret_cast<__m512>(value)));
  }
  if constexpr (sizeof(V) == 64 && std::is_same_v<T, double>) {
    return reinterpret_cast<V>(
        _mm512_maskz_sqrt_pd(__mmask8(-1), reinterpret_cast<__m512d>(value)));
  }
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32 && std::is_same_v<T, float>) {
    return reinterpret_cast<V>(_mm256_sqrt_ps(reinterpret_cast<__m256>(value)));
  }
  if constexpr (sizeof(V) == 32 && std::is_same_v<T, double>) {
    return reinterpret_cast<V>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(value)));
  }
#endif
  V result = value;
  for (int i = 0; i < lanes_of<V>; ++i) {
    if constexpr (std::is_same_v<T, float>) {
      result[i] = __builtin_sqrtf(value[i]);
    } else {
      result[i] = __builtin_sqrt(value[i]);
    }
  }
  return result;
}

template <typename V>
C10_ALWAYS_INLINE V sign_bit_of(V value) {
  using B = bits_of<V>;
  constexpr auto bit = element_of<B>(1) << (sizeof(element_of<B>) * 8 - 1);
  return reinterpret_cast<V>(reinterpret_cast<B>(value) & bit);
}
template <typename V>
C10_ALWAYS_INLINE V abs(V value) {
  using B = bits_of<V>;
  constexpr auto bit = element_of<B>(1) << (sizeof(element_of<B>) * 8 - 1);
  return reinterpret_cast<V>(reinterpret_cast<B>(value) & ~bit);
}
// The magnitude of `value` (which is not negative) with the sign of `sign`.
template <typename V>
C10_ALWAYS_INLINE V with_sign(V value, V sign) {
  using B = bits_of<V>;
  return reinterpret_cast<V>(reinterpret_cast<B>(value) | reinterpret_cast<B>(sign_bit_of(sign)));
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
