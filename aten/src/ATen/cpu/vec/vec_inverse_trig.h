#pragma once

#include <ATen/cpu/vec/vec_machine.h>

#include <limits>

// Inverse trigonometric functions, within 2 ulp. tools/vec_math/fit.py computes the coefficients.

namespace at::vec {
inline namespace CPU_CAPABILITY {

template <typename T>
struct ArcConstants;
template <>
struct ArcConstants<float> {
  // (atan(x) / x - 1) / x^2 up to tan(pi / 8), and (asin(x) / x - 1) / x^2 up to 1/2, in x^2
  static constexpr float kAtan[] = {
      -0x1.555548p-2f, 0x1.999128p-3f, -0x1.23ae5ap-3f, 0x1.b194eap-4f, -0x1.f06290p-5f};
  static constexpr float kAsin[] = {
      0x1.5555cap-3f, 0x1.3301acp-4f, 0x1.74808cp-5f, 0x1.8c2538p-6f, 0x1.59652cp-5f};
  static constexpr float kHalfPi = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f;
};
template <>
struct ArcConstants<double> {
  static constexpr double kAtan[] = {
      -0x1.5555555555554p-2, 0x1.99999999995bcp-3, -0x1.2492492471faep-3, 0x1.c71c71b5e70a6p-4,
      -0x1.745d148ef0d55p-4, 0x1.3b136adfef996p-4, -0x1.110c476a2aedap-4, 0x1.e16f023c08c1ap-5,
      -0x1.ab6bf7423787ep-5, 0x1.70abcae706280p-5, -0x1.11aab92b084f9p-5, 0x1.efd3a49a017d2p-7};
  static constexpr double kAsin[] = {
      0x1.5555555555577p-3, 0x1.333333332e1d7p-4, 0x1.6db6db72067c3p-5, 0x1.f1c71a9a612bcp-6,
      0x1.6e8bde357e3ffp-6, 0x1.1c49fd309612cp-6, 0x1.ca1e4bde65f16p-7, 0x1.759020e3f57d1p-7,
      0x1.60fff6c6f49f2p-7, 0x1.e995aa7ea282cp-9, 0x1.627f8e45fcf05p-6, -0x1.5667f5d274d99p-6,
      0x1.0ac783d4e1577p-5};
  static constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
};

// atan(a / b) for a, b >= 0 that are not both infinite. The quotient is compared with the tangents
// of pi/8 and 3 pi/8, and turned by pi/4 or pi/2.
template <typename V>
C10_ALWAYS_INLINE V atan_quotient(V a, V b) {
  using T = element_of<V>;
  using C = ArcConstants<T>;
  const V zero{};
  const auto middle = a > T(0.4142135623730951) * b;
  const auto steep = a > T(2.414213562373095) * b;
  const V numerator = steep ? -b : middle ? a - b : a;
  V denominator = steep ? a : middle ? a + b : b;
  denominator = a == zero ? splat<V>(T(1)) : denominator;
  const V t = numerator / denominator;
  const V z = t * t;
  const V quarters = steep ? splat<V>(T(1)) : middle ? splat<V>(T(0.5)) : zero;
  const V rest = fma(t * z, polynomial(z, C::kAtan), quarters * C::kHalfPiLow);
  return fma(quarters, splat<V>(C::kHalfPi), t + rest);
}

template <typename V>
C10_ALWAYS_INLINE V atan(V x) {
  using T = element_of<V>;
  return with_sign(abs(atan_quotient(abs(x), splat<V>(T(1)))), x);
}

// The angle of the point (x, y), with the special cases of the C standard.
template <typename V>
C10_ALWAYS_INLINE V atan2(V y, V x) {
  using T = element_of<V>;
  using C = ArcConstants<T>;
  constexpr T kHuge = std::numeric_limits<T>::max() / 4;
  V a = abs(y), b = abs(x);
  const auto both_infinite = (a > std::numeric_limits<T>::max()) & (b == a);
  // Sums must not overflow.
  const V shrink = (a > kHuge) | (b > kHuge) ? splat<V>(T(0.25)) : splat<V>(T(1));
  a = both_infinite ? splat<V>(T(1)) : a * shrink;
  b = both_infinite ? splat<V>(T(1)) : b * shrink;
  const V q = atan_quotient(a, b);
  const auto negative = reinterpret_cast<mask_of<V>>(x) < 0;
  const V angle = negative ? (T(2) * C::kHalfPi - q) + T(2) * C::kHalfPiLow : q;
  const V result = with_sign(abs(angle), y);
  return (x == x) & (y == y) ? result : x + y;
}

// asin(x) for |x| <= 1/2 from sqrt(z) = |x|
template <typename V>
C10_ALWAYS_INLINE V asin_small(V root, V z) {
  return fma(root * z, polynomial(z, ArcConstants<element_of<V>>::kAsin), root);
}

template <typename V>
C10_ALWAYS_INLINE V asin(V x) {
  using T = element_of<V>;
  using C = ArcConstants<T>;
  const V a = abs(x);
  const auto large = a > T(0.5);
  const V z = large ? (T(1) - a) * T(0.5) : a * a;
  const V root = large ? sqrt_exact(z) : a;
  const V rest = root * z * polynomial(z, C::kAsin);
  // pi/2 - 2 asin(root)
  const V complement = (C::kHalfPi - (root + root)) - (rest + rest - C::kHalfPiLow);
  return with_sign(abs(large ? complement : root + rest), x);
}

template <typename V>
C10_ALWAYS_INLINE V acos(V x) {
  using T = element_of<V>;
  using C = ArcConstants<T>;
  const V a = abs(x);
  const auto large = a > T(0.5);
  const V z = large ? (T(1) - a) * T(0.5) : a * a;
  const V p = asin_small(large ? sqrt_exact(z) : a, z);
  const V near_one = x < T(0) ? T(2) * C::kHalfPi - (p + p - T(2) * C::kHalfPiLow) : p + p;
  const V signed_p = x < T(0) ? -p : p;
  return large ? near_one : C::kHalfPi - (signed_p - C::kHalfPiLow);
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
