#pragma once

#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/cpu/vec/vec_log_table.h>

// Logarithms, within 2 ulp.

namespace at::vec {
inline namespace CPU_CAPABILITY {

template <typename T>
struct LogConstants;
template <>
struct LogConstants<float> {
  static constexpr float kSmallest = 0x1p-126f, kLift = 0x1p25f, kLiftBits = 25;
  static constexpr float kLn2High = 0x1.62e400p-1f, kLn2Low = 0x1.7f7d1cp-20f;
  // (log(1 + f) - f + f^2 / 2) / f^3
  static constexpr float kTail[] = {
      0x1.555552p-2f,  -0x1.000008p-2f, 0x1.999c5ap-3f,  -0x1.5553eep-3f, 0x1.242e50p-3f,
      -0x1.ff23a0p-4f, 0x1.d23b70p-4f,  -0x1.b61a6cp-4f, 0x1.54611ap-4f,  -0x1.115c88p-5f};
};
template <>
struct LogConstants<double> {
  static constexpr double kSmallest = 0x1p-1022, kLift = 0x1p54, kLiftBits = 54;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
  // (log((1 + s) / (1 - s)) / s - 2) / s^2 in s^2
  static constexpr double kOdd[] = {
      0x1.5555555555555p-1, 0x1.9999999999b06p-2, 0x1.2492492481771p-2,
      0x1.c71c71d1ddf0fp-3, 0x1.745d162ce62f2p-3, 0x1.3b137704a6727p-3,
      0x1.1125bfe030cbep-3, 0x1.dcd5b0711c6bdp-4, 0x1.f8369e24aa7f8p-4};
};

template <typename V>
struct Split {
  V fraction; // in [sqrt(1/2), sqrt(2))
  V exponent;
};

// Splits a positive normal number into fraction * 2^exponent.
template <typename V>
C10_ALWAYS_INLINE Split<V> split_exponent(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  using Int = mask_of<V>;
  using Bits = bits_of<V>; // unsigned, because special values may wrap
  using B = element_of<Bits>;
  constexpr B kRootHalf = sizeof(T) == 4 ? B(0x3f3504f3) : B(0x3fe6a09e667f3bcd);
  const Bits bits = reinterpret_cast<Bits>(x);
  if constexpr (sizeof(T) == 8) {
    // Before AVX512, 64-bit integers have neither a signed shift nor a conversion: shift the biased
    // exponent and place it in the last bits of a number near 2^52.
    const Bits biased = (bits + (0x3ff0000000000000u - kRootHalf)) >> 52;
    const V exponent = reinterpret_cast<V>(biased | 0x4330000000000000u) - (0x1p52 + 1023.0);
    return {reinterpret_cast<V>(bits - ((biased - 1023u) << 52)), exponent};
  }
  const Int exponent = reinterpret_cast<Int>(bits - kRootHalf) >> C::kMantissa;
  const V fraction = reinterpret_cast<V>(bits - (reinterpret_cast<Bits>(exponent) << C::kMantissa));
  return {fraction, convert_lanes<T>(exponent)};
}

#if defined(__AVX512F__)
// Returns a fraction in [3/4, 3/2); NaN for negative numbers, exponent -infinity for 0.
template <typename V>
C10_ALWAYS_INLINE Split<V> split_by_instruction(V x) {
  constexpr auto kInterval = _MM_MANT_NORM_p75_1p5;
  constexpr auto kSign = _MM_MANT_SIGN_nan;
  if constexpr (is_zmm_float<V>) {
    const auto z = reinterpret_cast<__m512>(x);
    const __m512 m = _mm512_maskz_getmant_ps(kAll16, z, kInterval, kSign);
    const V e = reinterpret_cast<V>(_mm512_maskz_getexp_ps(kAll16, z));
    return {reinterpret_cast<V>(m), e - reinterpret_cast<V>(_mm512_maskz_getexp_ps(kAll16, m))};
  } else {
    const auto z = reinterpret_cast<__m512d>(x);
    const __m512d m = _mm512_maskz_getmant_pd(kAll8, z, kInterval, kSign);
    const V e = reinterpret_cast<V>(_mm512_maskz_getexp_pd(kAll8, z));
    return {reinterpret_cast<V>(m), e - reinterpret_cast<V>(_mm512_maskz_getexp_pd(kAll8, m))};
  }
}
#endif

// log(1 + f) + exponent * ln2 + extra, for 1 + f in [sqrt(1/2), 3/2).
template <typename V>
C10_ALWAYS_INLINE V log_of_fraction(V f, V exponent, V extra) {
  using T = element_of<V>;
  using C = LogConstants<T>;
  const V low = fma(exponent, splat<V>(C::kLn2Low), extra);
  if constexpr (std::is_same_v<T, float>) {
    const V square = f * f;
    V tail = square * f * polynomial(f, C::kTail) + low;
    tail = fma(square, splat<V>(-0.5f), tail);
    return fma(exponent, splat<V>(C::kLn2High), tail + f);
  } else {
    // f - (f^2/2 - s (f^2/2 + R)) keeps the leading term exact.
    const V s = divide(f, f + T(2));
    const V z = s * s;
    const V half_square = T(0.5) * f * f;
    const V rest = z * polynomial(z, C::kOdd);
    return exponent * splat<V>(C::kLn2High) -
        ((half_square - (s * (half_square + rest) + low)) - f);
  }
}

// Handles values outside (0, infinity): -inf for 0, NaN below, infinity and NaN unchanged.
template <typename V>
C10_ALWAYS_INLINE V log_special(V x, V result) {
  using T = element_of<V>;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  result = x == kInfinity ? x : result;
  result = x == V{} ? splat<V>(-kInfinity) : result;
  return x >= V{} ? result : splat<V>(std::numeric_limits<T>::quiet_NaN());
}

template <typename V>
C10_ALWAYS_INLINE V log(V x) {
  using T = element_of<V>;
  using C = LogConstants<T>;
  if constexpr (has_log_table && sizeof(V) == kVectorBytes) {
    return log_by_table<NaturalLog>(x);
  }
  const auto subnormal = x < C::kSmallest;
  const auto split = split_exponent(subnormal ? x * C::kLift : x);
  const V exponent = subnormal ? split.exponent - C::kLiftBits : split.exponent;
  return log_special(x, log_of_fraction(split.fraction - T(1), exponent, V{}));
}

template <typename V>
C10_ALWAYS_INLINE V log1p(V x) {
  using T = element_of<V>;
  const V u = x + T(1);
  const auto split = split_exponent(u);
  // The rounding error of the sum relative to the sum; near 0 the sum is not used.
  const V lost = x > T(1) ? T(1) - (u - x) : x - (u - T(1));
  const auto near = split.exponent == V{};
  const V f = near ? x : split.fraction - T(1);
  const V extra = near ? V{} : divide(lost, u);
  const V result = log_special(u, log_of_fraction(f, split.exponent, extra));
  return x == V{} ? x : result;
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
