#pragma once

#include <ATen/cpu/vec/vec_machine.h>
#include <ATen/cpu/vec/vec_round.h>
#include <ATen/cpu/vec/vec_table.h>

#include <limits>

// Exponentials and functions built from them. Errors stay within 2 ulp; tools/vec_math/fit.py
// computes the coefficients.

namespace at::vec {
inline namespace CPU_CAPABILITY {

template <typename T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float kLog2e = 0x1.715476p+0f;
  static constexpr float kLn2High = 0x1.62e400p-1f; // few bits, so that n * high is exact
  static constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  static constexpr float kLow = -104.0f, kHigh = 89.0f; // beyond these, results are 0 or infinity
  static constexpr int kBias = 127, kMantissa = 23;
  // (e^r - 1 - r) / r^2; exp needs fewer terms than expm1
  static constexpr float kExpTail[] = {
      0x1p-1f, 0x1.55548ap-3f, 0x1.5554e4p-5f, 0x1.123e32p-7f, 0x1.6d5152p-10f};
  static constexpr float kTail[] = {0x1p-1f,        0x1.555556p-3f,  0x1.5554f0p-5f,
                                    0x1.110fe2p-7f, 0x1.6d4372p-10f, 0x1.a28f3ep-13f};
};
template <>
struct ExpConstants<double> {
  static constexpr double kLog2e = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1;
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLow = -746.0, kHigh = 710.0;
  static constexpr int kBias = 1023, kMantissa = 52;
  static constexpr double kTail[] = {
      0x1p-1,
      0x1.5555555555559p-3,
      0x1.5555555555557p-5,
      0x1.111111110f64ep-7,
      0x1.6c16c16c1577bp-10,
      0x1.a01a01b0077b5p-13,
      0x1.a01a01ab15055p-16,
      0x1.71ddf803d2a4fp-19,
      0x1.27e4d1405720fp-22,
      0x1.af5f41b1e36a4p-26,
      0x1.1f83e95d6e68cp-29};
  static constexpr double kExpTail[] = {
      0x1.0000000000005p-1,  0x1.5555555555559p-3,  0x1.55555555520f0p-5,  0x1.111111110f64ep-7,
      0x1.6c16c17f3914fp-10, 0x1.a01a01b0077b5p-13, 0x1.a019a67f61671p-16, 0x1.71ddf803d2a4fp-19,
      0x1.28a2b331f6c18p-22, 0x1.af5f41b1e36a4p-26};
};

// 2^n for a small integer n.
template <typename V, typename Int>
C10_ALWAYS_INLINE V power_of_two(Int n) {
  using C = ExpConstants<element_of<V>>;
  return reinterpret_cast<V>((n + element_of<Int>(C::kBias)) << C::kMantissa);
}

template <typename V>
struct Reduced {
  V r; // in [-ln2/2, ln2/2]
  V n; // x = n ln2 + r
  mask_of<V> n_bits;
};

template <typename V>
C10_ALWAYS_INLINE Reduced<V> reduce_exp(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  const V shifted = fma(x, splat<V>(C::kLog2e), splat<V>(kRoundMagic<T>));
  const V n = shifted - kRoundMagic<T>;
  V r = fma(n, splat<V>(-C::kLn2High), x);
  r = fma(n, splat<V>(-C::kLn2Low), r);
  using Int = mask_of<V>;
  const Int bits = reinterpret_cast<Int>(shifted) - reinterpret_cast<Int>(splat<V>(kRoundMagic<T>));
  return {r, n, bits};
}

// p 2^n, where the result may be subnormal or infinite.
template <typename V>
C10_ALWAYS_INLINE V scale(V p, const Reduced<V>& reduced) {
#if defined(__AVX512F__)
  if constexpr (is_zmm_float<V>) {
    return reinterpret_cast<V>(_mm512_maskz_scalef_ps(
        kAll16, reinterpret_cast<__m512>(p), reinterpret_cast<__m512>(reduced.n)));
  } else if constexpr (is_zmm_double<V>) {
    return reinterpret_cast<V>(_mm512_maskz_scalef_pd(
        kAll8, reinterpret_cast<__m512d>(p), reinterpret_cast<__m512d>(reduced.n)));
  }
#endif
  // Multiplies in two steps, so that neither factor leaves the range of normal numbers.
  using T = element_of<V>;
  using Int = mask_of<V>;
  Int half;
  if constexpr (sizeof(T) == 8) { // before AVX512 there is no signed shift of 64-bit integers
    half = reinterpret_cast<Int>(reduced.n * T(0.5) + kRoundMagic<T>) -
        reinterpret_cast<Int>(splat<V>(kRoundMagic<T>));
  } else {
    half = reduced.n_bits >> 1;
  }
  return p * power_of_two<V>(half) * power_of_two<V>(reduced.n_bits - half);
}

template <typename V>
C10_ALWAYS_INLINE V exp(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  const auto reduced = reduce_exp(at_most(at_least(x, C::kLow), C::kHigh));
  const V r = reduced.r;
  return scale(fma(r * r, polynomial(r, C::kExpTail), r) + T(1), reduced);
}

template <typename V>
C10_ALWAYS_INLINE V expm1(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  constexpr T kFlat = sizeof(T) == 4 ? T(-18) : T(-39); // -1 below
  const auto reduced = reduce_exp(at_most(at_least(x, kFlat), C::kHigh));
  const V r = reduced.r;
  const V p = fma(r * r, polynomial(r, C::kTail), r);
  // 2^n p + (2^n - 1) = 2^n (p + (1 - 2^-n)).
  const V inverse = reduced.n > T(C::kBias - 2) ? V{} : power_of_two<V>(-reduced.n_bits);
  const V result = scale(p + (T(1) - inverse), reduced);
  return x == V{} ? x : result; // keeps the sign of zero
}

#if defined(__AVX512F__)
// Computes numerator / (sum + lost) with one reciprocal.
template <typename V>
C10_ALWAYS_INLINE V sigmoid_quotient(V numerator, V sum, V lost) {
  if constexpr (is_zmm_float<V>) {
    const V y = reinterpret_cast<V>(_mm512_maskz_rcp14_ps(kAll16, reinterpret_cast<__m512>(sum)));
    const V quotient = numerator * y;
    return fma(fma(-quotient, sum, numerator) - quotient * lost, y, quotient);
  } else {
    const V quotient = divide(numerator, sum);
    return fma(-quotient, lost, quotient);
  }
}
#else
template <typename V>
C10_ALWAYS_INLINE V sigmoid_quotient(V numerator, V sum, V lost) {
  return numerator / (sum + lost);
}
#endif

template <typename V>
C10_ALWAYS_INLINE V sigmoid(V x) {
  using T = element_of<V>;
  // Uses exp(-|x|), which neither overflows nor loses small results for negative x.
  const V e = exp(-abs(x));
  const V one = splat<V>(T(1));
  const V numerator = x < V{} ? e : one;
  const V sum = one + e;
  const V lost = e - (sum - one);
  if constexpr (has_lookup && sizeof(V) == 64) {
    return sigmoid_quotient(numerator, sum, lost);
  }
  const V quotient = numerator / sum;
  // One correction for the rounding errors of the sum and the quotient, reusing 1 / sum.
  const V inverse = x < V{} ? one - quotient : quotient;
  return fma(fma(-quotient, sum, numerator) - quotient * lost, inverse, quotient);
}

// With e = exp(-2|x|) and t = e - 1: -t / (t + 2) near 0, 1 - 2 e / (t + 2) beyond.
template <typename V>
C10_ALWAYS_INLINE V tanh_by_exp(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  constexpr T kFlat = sizeof(T) == 4 ? T(-19) : T(-40); // tanh is 1 beyond
  const V a = abs(x);
  const V y = at_least(T(-2) * a, kFlat);
  const auto reduced = reduce_exp(y);
  const V r = reduced.r;
  const V exact = fma(reduced.n, splat<V>(-C::kLn2High), y);
  const V lost_in_r = fma(reduced.n, splat<V>(-C::kLn2Low), exact - r);
  const V p = fma(r * r, polynomial(r, C::kTail), lost_in_r) + r;
  const V power = power_of_two<V>(reduced.n_bits);
  const V t = fma(p, power, power - T(1));
  const V sum = t + T(2);
  const auto large = a > T(0.55);
  const V e = fma(p, power, power);
  const V quotient = divide(large ? e + e : -t, sum);
  // The rounding error of the sum matters only near 0; 1 / sum is (1 + quotient) / 2 there.
  const V lost = t - (sum - T(2));
  const V small =
      fma(quotient * lost, fma(quotient, splat<V>(T(-0.5)), splat<V>(T(-0.5))), quotient);
  return with_sign(abs(large ? T(1) - quotient : small), x);
}

template <typename V>
C10_ALWAYS_INLINE V tanh(V x) {
  if constexpr (has_lookup && lanes_of<V> == 16 && std::is_same_v<element_of<V>, float>) {
    return odd_by_table<6>(x, kTanhTable, kTanhStep, kTanhEnd);
  } else {
    return tanh_by_exp(x);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
