#pragma once

#include <ATen/cpu/vec/vec_round.h>

#include <limits>

// Exponentials and what is made of them. Errors stay within 2 ulp; the coefficients come from
// tools/vec_math/fit.py.

namespace at::vec {
inline namespace CPU_CAPABILITY {

// c[0] + c[1] x + ... by Horner's rule.
template <typename V, typename T, size_t K>
C10_ALWAYS_INLINE V polynomial(V x, const T (&c)[K]) {
  V result = splat<V>(c[K - 1]);
#pragma GCC unroll 32
  for (size_t i = K - 1; i > 0; --i) {
    result = fma(result, x, splat<V>(c[i - 1]));
  }
  return result;
}

template <typename V, typename T>
C10_ALWAYS_INLINE V clamp(V x, T low, T high) { // NaN stays
  x = x < low ? splat<V>(low) : x;
  return x > high ? splat<V>(high) : x;
}

template <typename T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float kLog2e = 0x1.715476p+0f;
  static constexpr float kLn2High = 0x1.62e400p-1f; // few bits: n * high is exact
  static constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  static constexpr float kLow = -104.0f, kHigh = 89.0f; // results are 0 and infinity there
  static constexpr int kBias = 127, kMantissa = 23;
  // (e^r - 1 - r) / r^2
  static constexpr float kTail[] = {0x1p-1f,          0x1.555556p-3f, 0x1.5554f0p-5f,
                                    0x1.110fe2p-7f,   0x1.6d4372p-10f, 0x1.a28f3ep-13f};
};
template <>
struct ExpConstants<double> {
  static constexpr double kLog2e = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1;
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLow = -746.0, kHigh = 710.0;
  static constexpr int kBias = 1023, kMantissa = 52;
  static constexpr double kTail[] = {
      0x1p-1,                 0x1.5555555555559p-3,   0x1.5555555555557p-5,
      0x1.111111110f64ep-7,   0x1.6c16c16c1577bp-10,  0x1.a01a01b0077b5p-13,
      0x1.a01a01ab15055p-16,  0x1.71ddf803d2a4fp-19,  0x1.27e4d1405720fp-22,
      0x1.af5f41b1e36a4p-26,  0x1.1f83e95d6e68cp-29};
};

// 2^n for a small integer n.
template <typename V, typename Int>
C10_ALWAYS_INLINE V power_of_two(Int n) {
  using C = ExpConstants<element_of<V>>;
  return reinterpret_cast<V>((n + element_of<Int>(C::kBias)) << C::kMantissa);
}

// Adding this rounds to an integer and leaves it in the low bits of the sum.
template <typename T>
constexpr T kRoundMagic = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);

template <typename V>
struct Reduced {
  V r;       // in [-ln2/2, ln2/2]
  V n;       // x = n ln2 + r
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
  const Int bits = reinterpret_cast<Int>(shifted) -
                   reinterpret_cast<Int>(splat<V>(kRoundMagic<T>));
  return {r, n, bits};
}

template <typename V>
C10_ALWAYS_INLINE V exp(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  const auto reduced = reduce_exp(clamp(x, C::kLow, C::kHigh));
  const V r = reduced.r;
  const V p = fma(r * r, polynomial(r, C::kTail), r) + T(1);
  // In two steps, so that neither factor leaves the range of normal numbers.
  const auto half = reduced.n_bits >> 1;
  return p * power_of_two<V>(half) * power_of_two<V>(reduced.n_bits - half);
}

template <typename V>
C10_ALWAYS_INLINE V expm1(V x) {
  using T = element_of<V>;
  using C = ExpConstants<T>;
  constexpr T kFlat = sizeof(T) == 4 ? T(-18) : T(-39); // -1 below
  const auto reduced = reduce_exp(clamp(x, kFlat, C::kHigh));
  const V r = reduced.r;
  const V p = fma(r * r, polynomial(r, C::kTail), r);
  // 2^n p + (2^n - 1) = 2^n (p + (1 - 2^-n)).
  const auto half = reduced.n_bits >> 1;
  const V inverse = reduced.n > T(C::kBias - 2) ? V{} : power_of_two<V>(-reduced.n_bits);
  const V scaled = (p + (T(1) - inverse)) * power_of_two<V>(half) *
                   power_of_two<V>(reduced.n_bits - half);
  return x == V{} ? x : scaled; // keeps the sign of zero
}

template <typename V>
C10_ALWAYS_INLINE V sigmoid(V x) {
  using T = element_of<V>;
  // From exp(-|x|), which neither overflows nor loses the small results for negative x.
  const V e = exp(-abs(x));
  const V one = V{} + T(1);
  const V numerator = x < V{} ? e : one;
  const V sum = one + e;
  const V quotient = numerator / sum;
  // One correction for the roundings of the sum and the quotient, 1 / sum being known by now.
  const V inverse = x < V{} ? one - quotient : quotient;
  const V rest = fma(-quotient, sum, numerator) - quotient * (e - (sum - one));
  return fma(rest, inverse, quotient);
}

template <typename T>
struct TanhConstants;
template <>
struct TanhConstants<float> {
  // (tanh(x) / x - 1) / x^2 in x^2
  static constexpr float kOdd[] = {-0x1.55554ap-2f, 0x1.110ce4p-3f, -0x1.b91bc8p-5f,
                                   0x1.58c83ap-6f, -0x1.986102p-8f};
};
template <>
struct TanhConstants<double> {
  static constexpr double kOdd[] = {
      -0x1.5555555555555p-2,  0x1.11111111110a1p-3,  -0x1.ba1ba1ba149cap-5,
      0x1.664f4880e4baap-6,   -0x1.226e3511b33f1p-7, 0x1.d6d3c0b31f4ccp-9,
      -0x1.7da239e6597e4p-10, 0x1.35491ce142eb4p-11, -0x1.f46c5142873d4p-13,
      0x1.8fb1f68de914cp-14,  -0x1.2bb8ee353798fp-15, 0x1.695c2da9fe6eap-17,
      -0x1.d68ecb6029235p-20};
};

template <typename V>
C10_ALWAYS_INLINE V tanh(V x) {
  using T = element_of<V>;
  const V a = abs(x);
  const V z = a * a;
  const V small = fma(z * a, polynomial(z, TanhConstants<T>::kOdd), a);
  const V large = T(1) - T(2) / (exp(a + a) + T(1));
  return with_sign(a < T(0.55) ? small : (a == a ? large : a), x);
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
