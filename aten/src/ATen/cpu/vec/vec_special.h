#pragma once

#include <ATen/cpu/vec/vec_log.h>
#include <ATen/cpu/vec/vec_trig.h>
#include <ATen/native/BesselSeries.h>

#include <limits>

// Modified Bessel functions of the first kind, within 6 ulp, and products with logarithms and
// sines.

namespace at::vec {
inline namespace CPU_CAPABILITY {

using native::bessel::kFar0;
using native::bessel::kFar1;
using native::bessel::kNear0;
using native::bessel::kNear1;

// Clenshaw's recurrence. Single precision needs the larger coefficients only.
template <int kSingle, typename V, int N>
C10_ALWAYS_INLINE V chebyshev(V t, const double (&coefficients)[N]) {
  using T = element_of<V>;
  constexpr int kTerms = sizeof(T) == 4 && kSingle < N ? kSingle : N;
  const V twice = t + t;
  V b{}, before{};
  for (int k = kTerms - 1; k > 0; --k) {
    const V next = fma(twice, b, static_cast<T>(coefficients[k]) - before);
    before = b;
    b = next;
  }
  return fma(t, b, static_cast<T>(coefficients[0]) - before);
}

template <typename V>
C10_ALWAYS_INLINE V i0e(V x) {
  using T = element_of<V>;
  const V a = abs(x);
  const V near = chebyshev<20>(at_most(a, T(8)) * T(0.25) - T(1), kNear0);
  if (!any_lane(a > T(8))) {
    return x == x ? near : x;
  }
  const V root = sqrt_exact(a);
  const V far = chebyshev<8>(T(16) / at_least(a, T(8)) - T(1), kFar0) / root;
  return x == x ? (a > T(8) ? far : near) : x;
}

template <typename V>
C10_ALWAYS_INLINE V i1e(V x) {
  using T = element_of<V>;
  const V a = abs(x);
  const V small = at_most(a, T(8));
  const V near = x / (small + T(1)) * chebyshev<20>(small * T(0.25) - T(1), kNear1);
  if (!any_lane(a > T(8))) {
    return near;
  }
  const V far = chebyshev<8>(T(16) / at_least(a, T(8)) - T(1), kFar1) / sqrt_exact(a);
  return x == x ? (a > T(8) ? with_sign(far, x) : near) : x;
}

// exp(a) in two factors, which overflows later.
template <typename V>
C10_ALWAYS_INLINE V times_exp(V value, V a) {
  using T = element_of<V>;
  const V half = exp(a * T(0.5));
  const V result = (half * value) * half;
  return a == std::numeric_limits<T>::infinity() ? with_sign(a, value) : result;
}

template <typename V>
C10_ALWAYS_INLINE V i0(V x) {
  return times_exp(i0e(x), abs(x));
}

template <typename V>
C10_ALWAYS_INLINE V i1(V x) {
  return times_exp(i1e(x), abs(x));
}

// -x log(x), and 0 at 0
template <typename V>
C10_ALWAYS_INLINE V entr(V x) {
  using T = element_of<V>;
  const V zero{};
  const V below = x < zero ? splat<V>(-std::numeric_limits<T>::infinity()) : x;
  return x > zero ? -x * log(x) : x == zero ? zero : below;
}

// sin(pi x) / (pi x)
template <typename V>
C10_ALWAYS_INLINE V sinc(V x) {
  using T = element_of<V>;
  const V angle = x * T(3.141592653589793238);
  return x == V{} ? splat<V>(T(1)) : sin(angle) / angle;
}

// x log(1 + y), and 0 where x is 0, unless y is NaN
template <typename V>
C10_ALWAYS_INLINE V xlog1py(V x, V y) {
  const V zero{};
  return (x == zero) & (y == y) ? zero : x * log1p(y);
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
