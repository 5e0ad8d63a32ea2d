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
  static constexpr float kLow = -105.0f, kHigh = 89.0f; // beyond these, results are 0 or infinity
  static constexpr int kBias = 127, kMantissa = 23;
  // (e^r - 1 - r) / r^2; exp needs fewer terms than expm1, and the fewest where a table has
  // 2^(k/32)
  static constexpr float kExpTail[] = {
      0x1p-1f, 0x1.55548ap-3f, 0x1.5554e4p-5f, 0x1.123e32p-7f, 0x1.6d5152p-10f};
  static constexpr float kShortTail[] = {0x1.000088p-1f, 0x1.5555c8p-3f};
  static constexpr float kPowers[] = {
      0x1.000000p+0f, 0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f,
      0x1.1d4874p+0f, 0x1.2387a6p+0f, 0x1.29e9e0p+0f, 0x1.306fe0p+0f, 0x1.371a74p+0f,
      0x1.3dea64p+0f, 0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f,
      0x1.6247ecp+0f, 0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f,
      0x1.8ace54p+0f, 0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f, 0x1.ae89fap+0f,
      0x1.b7f770p+0f, 0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f,
      0x1.ea4afap+0f, 0x1.f50766p+0f};
  static constexpr float kTail[] = {0x1p-1f,        0x1.555556p-3f,  0x1.5554f0p-5f,
                                    0x1.110fe2p-7f, 0x1.6d4372p-10f, 0x1.a28f3ep-13f};
};
template <>
struct ExpConstants<double> {
  static constexpr double kLog2e = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1;
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLow = -747.0, kHigh = 710.0;
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
  static constexpr double kShortTail[] = {
      0x1.0000000000004p-1, 0x1.555555548b6dfp-3, 0x1.5555555484eafp-5, 0x1.11123d16fe35ep-7,
      0x1.6c183dae550fbp-10};
  static constexpr double kPowers[] = {
      0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
      0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
      0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
      0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};
};

// 2^n for a small integer n in the low bits.
template <typename V, typename Int>
C10_ALWAYS_INLINE V power_of_two(Int n) {
  using C = ExpConstants<element_of<V>>;
  return reinterpret_cast<V>((n + element_of<Int>(C::kBias)) << C::kMantissa);
}

template <typename V>
struct Reduced {
  V r;
  V n;               // x = n ln2 + r
  mask_of<V> n_bits; // n in the low bits
};

// Adding `magic` rounds to the multiples that n may have.
template <typename V>
C10_ALWAYS_INLINE Reduced<V> reduce_exp(V x, element_of<V> magic = kRoundMagic<element_of<V>>) {
  using C = ExpConstants<element_of<V>>;
  const V shifted = fma(x, splat<V>(C::kLog2e), splat<V>(magic));
  const V n = shifted - magic;
  V r = fma(n, splat<V>(-C::kLn2High), x);
  r = fma(n, splat<V>(-C::kLn2Low), r);
  return {r, n, reinterpret_cast<mask_of<V>>(shifted)};
}

// p 2^n for an integer n and p below 2, where the result may be subnormal or infinite.
template <typename V>
C10_ALWAYS_INLINE V scale(V p, const Reduced<V>& reduced) {
  if constexpr (is_zmm_floating<V>) {
    return scale_by_power(p, reduced.n);
  }
  // Multiplies in two steps, so that neither factor leaves the range of normal numbers.
  using T = element_of<V>;
  using Int = mask_of<V>;
  Int half;
  if constexpr (sizeof(T) == 8) { // before AVX512 there is no signed shift of 64-bit integers
    half = reinterpret_cast<Int>(reduced.n * T(0.5) + kRoundMagic<T>);
  } else {
    half = reduced.n_bits >> 1;
  }
  p = reduced.n < kLeastPower<T> ? V{} : p; // underflows interrupt the processor
  return p * power_of_two<V>(half) * power_of_two<V>(reduced.n_bits - half);
}

// e^r 2^n for an integer n, within 1 ulp.
template <typename V>
C10_ALWAYS_INLINE V exp_by_polynomial(const Reduced<V>& reduced) {
  using T = element_of<V>;
  const V r = reduced.r;
  return scale(fma(r * r, polynomial(r, ExpConstants<T>::kExpTail), r) + T(1), reduced);
}

// In exponentials, n is a multiple of 1 / kExpSteps. With AVX-512, a table of two registers has the
// power of 2 of its fraction.
template <typename V>
constexpr int kExpSteps = is_zmm_floating<V> ? 2 * lanes_of<V> : 1;
template <typename V>
constexpr element_of<V> kExpMagic = kRoundMagic<element_of<V>> / kExpSteps<V>;

// e^r 2^n for a multiple of 1 / kExpSteps, within 1.1 ulp.
template <typename V>
C10_ALWAYS_INLINE V exp_of(const Reduced<V>& reduced) {
  if constexpr (is_zmm_floating<V>) {
    using C = ExpConstants<element_of<V>>;
    const V r = reduced.r;
    const V power = lookup(C::kPowers, reduced.n_bits);
    const V tail = fma(r * r, polynomial(r, C::kShortTail), r);
    return scale_by_power(fma(power, tail, power), reduced.n);
  } else {
    return exp_by_polynomial(reduced);
  }
}

template <typename V>
C10_ALWAYS_INLINE V exp(V x) {
  using C = ExpConstants<element_of<V>>;
  return exp_of(reduce_exp(at_most(at_least(x, C::kLow), C::kHigh), kExpMagic<V>));
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
  const V e = exp_by_polynomial(reduce_exp(at_least(-abs(x), ExpConstants<T>::kLow)));
  const V one = splat<V>(T(1));
  const V numerator = x < V{} ? e : one;
  const V sum = one + e;
  const V lost = e - (sum - one);
  if constexpr (is_zmm_floating<V>) {
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
  if constexpr (is_zmm_float<V>) {
    return odd_by_table<6>(x, kTanhTable, kTanhStep, kTanhEnd);
  } else {
    return tanh_by_exp(x);
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
