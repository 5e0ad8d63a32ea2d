#pragma once

#include <ATen/cpu/vec/vec_base.h>

#include <cmath>
#include <limits>

// Rounding to integers, and the exact remainder built on it.

namespace at::vec {
inline namespace CPU_CAPABILITY {

#if defined(__AVX512F__)
#define AT_ROUND_512(mode)                                                        \
  if constexpr (sizeof(V) == 64 && std::is_same_v<element_of<V>, float>) {        \
    return reinterpret_cast<V>(_mm512_maskz_roundscale_ps(                        \
        __mmask16(-1), reinterpret_cast<__m512>(x), (mode) | _MM_FROUND_NO_EXC)); \
  }                                                                               \
  if constexpr (sizeof(V) == 64 && std::is_same_v<element_of<V>, double>) {       \
    return reinterpret_cast<V>(_mm512_maskz_roundscale_pd(                        \
        __mmask8(-1), reinterpret_cast<__m512d>(x), (mode) | _MM_FROUND_NO_EXC)); \
  }
#else
#define AT_ROUND_512(mode)
#endif
#if defined(__AVX2__)
#define AT_ROUND_256(mode)                                                          \
  if constexpr (sizeof(V) == 32 && std::is_same_v<element_of<V>, float>) {          \
    return reinterpret_cast<V>(                                                     \
        _mm256_round_ps(reinterpret_cast<__m256>(x), (mode) | _MM_FROUND_NO_EXC));  \
  }                                                                                 \
  if constexpr (sizeof(V) == 32 && std::is_same_v<element_of<V>, double>) {         \
    return reinterpret_cast<V>(                                                     \
        _mm256_round_pd(reinterpret_cast<__m256d>(x), (mode) | _MM_FROUND_NO_EXC)); \
  }
#else
#define AT_ROUND_256(mode)
#endif

// Rounds to the nearest integer, ties to even. Adding and subtracting 2^(digits-1) rounds away the
// fraction; larger values are already integers. Keeps the sign of zero.
template <typename V>
C10_ALWAYS_INLINE V round(V x) {
  AT_ROUND_512(_MM_FROUND_TO_NEAREST_INT)
  AT_ROUND_256(_MM_FROUND_TO_NEAREST_INT)
  using T = element_of<V>;
  constexpr T kBig = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);
  const V magnitude = abs(x);
  const V rounded = (magnitude + kBig) - kBig;
  return magnitude < kBig ? with_sign(rounded, x) : x;
}

template <typename V>
C10_ALWAYS_INLINE V trunc(V x) {
  AT_ROUND_512(_MM_FROUND_TO_ZERO)
  AT_ROUND_256(_MM_FROUND_TO_ZERO)
  using T = element_of<V>;
  const V magnitude = abs(x);
  const V rounded = round(magnitude);
  const V down = rounded > magnitude ? rounded - T(1) : rounded;
  return x == x ? with_sign(down, x) : x;
}

template <typename V>
C10_ALWAYS_INLINE V floor(V x) {
  AT_ROUND_512(_MM_FROUND_TO_NEG_INF)
  AT_ROUND_256(_MM_FROUND_TO_NEG_INF)
  using T = element_of<V>;
  const V rounded = round(x);
  return rounded > x ? rounded - T(1) : rounded;
}

template <typename V>
C10_ALWAYS_INLINE V ceil(V x) {
  AT_ROUND_512(_MM_FROUND_TO_POS_INF)
  AT_ROUND_256(_MM_FROUND_TO_POS_INF)
  using T = element_of<V>;
  const V rounded = round(x);
  return rounded < x ? with_sign(abs(rounded + T(1)), x) : rounded;
}

#undef AT_ROUND_512
#undef AT_ROUND_256

template <typename V>
C10_NOINLINE V fmod_by_lane(V a, V b) {
  V result = a;
  for (int i = 0; i < lanes_of<V>; ++i) {
    result[i] = std::fmod(a[i], b[i]);
  }
  return result;
}

// Computes a - b * trunc(a / b) exactly. With FMA, one step is exact as long as the quotient is; it
// may be one too large, which the sign of the remainder shows.
template <typename V>
C10_ALWAYS_INLINE V fmod(V a, V b) {
  using T = element_of<V>;
  if constexpr (!has_fma || sizeof(V) < 32) {
    return fmod_by_lane(a, b);
  }
  constexpr T kExact = sizeof(T) == 4 ? T(0x1p22) : T(0x1p51);
  const V x = abs(a);
  const V y = abs(b);
  const V ratio = x / y;
  const auto hard = ~((ratio < kExact) & (y > T(0)) & (y <= std::numeric_limits<T>::max()));
  if (C10_UNLIKELY(any_lane(hard))) {
    return fmod_by_lane(a, b);
  }
  const V quotient = trunc(ratio);
  V rest = fma(-quotient, y, x);
  rest = rest < T(0) ? rest + y : rest;
  rest = rest >= y ? rest - y : rest;
  return with_sign(rest, a);
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
