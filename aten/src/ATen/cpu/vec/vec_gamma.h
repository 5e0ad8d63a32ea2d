#pragma once

#include <ATen/cpu/vec/vec_log.h>
#include <ATen/cpu/vec/vec_round.h>
#include <ATen/cpu/vec/vec_trig.h>

#include <cmath>
#include <limits>

// The gamma function's logarithm and the derivative of digamma, for lanes of doubles. lgamma stays
// within 4 ulp, except near its zeros below 0, where the error stays below 2^-52.

namespace at::vec {
inline namespace CPU_CAPABILITY {

// lgamma(2 + t) / t in 2 t, for |t| <= 1/2. tools/vec_math/chebyshev.py computes it.
constexpr double kLgamma[] = {
    0x1.b0ee6072093cep-2,   0x1.4a34cc4a60fa7p-3,  -0x1.13e001a557553p-6,  0x1.51322ac7d7fc5p-9,
    -0x1.e404fc21d9ad8p-12, 0x1.7add6eae5cf8dp-14, -0x1.38ac5bfc8c74fp-16, 0x1.0b36af3396a97p-18,
    -0x1.d3fd6abbae2e2p-21, 0x1.a127dd5e6d560p-23, -0x1.78d8f2a5f3ab8p-25, 0x1.5806d073ccafbp-27,
    -0x1.3d4d5370889d0p-29, 0x1.26411ef9939a3p-31, -0x1.08f899474c9b8p-33, 0x1.edea6fb5168a4p-36,
    -0x1.380e68ad42041p-37, 0x1.2b5bff4d053adp-39};

// For x > 0. Below 8, the recurrence moves x to 2 + t; beyond, Stirling's series is exact enough
// (Abramowitz and Stegun 6.1.15 and 6.1.41).
template <typename V>
C10_ALWAYS_INLINE V lgamma_of_positive(V x) {
  const V one = splat<V>(1.0);
  V y = at_most(x, 8.0), above = one;
  for (int step = 0; step < 6; ++step) {
    const auto far = y >= 2.5;
    y = far ? y - 1.0 : y;
    above = far ? above * y : above;
  }
  // 1 / 2 <= y < 3 / 2 needs one step upwards, less needs two.
  const auto low = y < 1.5, lowest = y < 0.5;
  const V t = lowest ? y : low ? y - 1.0 : y - 2.0;
  const V below = lowest ? y * (y + 1.0) : y;
  const auto large = x >= 8.0;
  const V logarithm = log(large ? x : low ? below : above);
  const V near = fma(t, polynomial(t + t, kLgamma), low ? -logarithm : logarithm);
  if (!any_lane(large)) {
    return near;
  }
  constexpr double kStirling[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                  1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
  const V r = one / x;
  const V rest = fma(r, polynomial(r * r, kStirling), splat<V>(0.41893853320467274178));
  const V far = fma(x - 0.5, logarithm - 1.0, rest);
  return large ? (x == std::numeric_limits<double>::infinity() ? x : far) : near;
}

// log |gamma(x)|; below 0 by reflection, gamma(x) gamma(-x) = -pi / (x sin(pi x)).
template <typename V>
C10_ALWAYS_INLINE V lgamma(V x) {
  const V a = abs(x);
  const V result = lgamma_of_positive(a);
  const auto negative = x < V{};
  if (!any_lane(negative)) {
    return x == x ? result : x;
  }
  const V fraction = abs(a - round(a));
  const V sine = abs(sin(fraction * 3.14159265358979323846));
  V reflected = 1.1447298858494001741 - log(a * sine) - result;
  // At whole numbers, and at -infinity, which has no fraction.
  reflected = fraction > V{} ? reflected : splat<V>(std::numeric_limits<double>::infinity());
  return x == x ? (negative ? reflected : result) : x;
}

// The sum of 1 / (x + k)^2 over k >= 0: ten terms, and the asymptotic series of the rest
// (Abramowitz and Stegun 6.4.12). Below 1/2 by reflection.
template <typename V>
C10_ALWAYS_INLINE V trigamma(V x) {
  const auto low = x < 0.5;
  V y = low ? 1.0 - x : x;
  V sum{};
  for (int k = 0; k < 10; ++k, y += 1.0) {
    const V r = 1.0 / y;
    sum = fma(r, r, sum);
  }
  constexpr double kTail[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                              5.0 / 66, -691.0 / 2730, 7.0 / 6};
  const V r = 1.0 / y, z = r * r;
  sum += fma(z * r, polynomial(z, kTail), fma(splat<V>(0.5) * r, r, r));
  if (!any_lane(low)) {
    return sum;
  }
  const V sine = sin((x - round(x)) * 3.14159265358979323846);
  return low ? 9.86960440108935861883 / (sine * sine) - sum : sum;
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
