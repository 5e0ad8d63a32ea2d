#pragma once

#include <ATen/cpu/vec/vec_log.h>
#include <ATen/cpu/vec/vec_round.h>
#include <ATen/cpu/vec/vec_trig.h>

#include <cmath>
#include <limits>

// The gamma function's logarithm, its first two derivatives and the incomplete gamma functions, for
// lanes of doubles. lgamma stays within 4 ulp, except near its zeros below 0, where the error stays
// below 2^-52.

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
  const V capped = at_most(x, 8.0);
  V y = capped, above = one;
  for (int step = 1; step <= 6; ++step) { // independent of the last step
    const auto far = capped >= step + 1.5;
    const V lower = capped - static_cast<double>(step);
    y = far ? lower : y;
    above = far ? above * lower : above;
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

// Ten steps of the recurrence, and then the asymptotic series; below 0 by reflection (Abramowitz
// and Stegun 6.3.5, 6.3.18 and 6.3.7).
template <typename V>
C10_ALWAYS_INLINE V digamma(V x) {
  const auto negative = x < 0.0;
  V y = negative ? 1.0 - x : x;
  V below{};
  for (int k = 0; k < 10; ++k, y += 1.0) {
    below += 1.0 / y;
  }
  constexpr double kTail[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                              1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const V r = 1.0 / y, z = r * r;
  V result = log(y) - fma(z, polynomial(z, kTail), 0.5 * r) - below;
  if (any_lane(negative)) {
    const V fraction = x - round(x);
    const V angle = fraction * 3.14159265358979323846;
    const V reflected = result - 3.14159265358979323846 * cos(angle) / sin(angle);
    const V pole = splat<V>(std::numeric_limits<double>::quiet_NaN());
    result = negative ? (fraction == 0.0 ? pole : reflected) : result;
  }
  return result;
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

// 1 / a + x / (a (a + 1)) + ..., until the terms of all `wanted` lanes are small.
template <typename V>
C10_ALWAYS_INLINE V lower_gamma_series(V a, V x, mask_of<V> wanted, double tolerance) {
  V term = 1.0 / a, sum = term;
  for (V n = a + 1.0; any_lane(wanted & (term > tolerance * sum)); n += 1.0) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

// The continued fraction by the recurrence of its numerators and denominators, which needs no
// division until all `wanted` lanes converged.
template <typename V>
C10_ALWAYS_INLINE V upper_gamma_fraction(V a, V x, mask_of<V> wanted, double tolerance) {
  constexpr double kLarge = 1e150;
  V b = x + 1.0 - a;
  V above = splat<V>(1.0), below = b, last_above{}, last_below = above;
  for (V i = above; any_lane(wanted); i += 1.0) {
    const V by = i * (a - i);
    b += 2.0;
    const V next_above = fma(b, above, by * last_above);
    const V next_below = fma(b, below, by * last_below);
    last_above = above;
    last_below = below;
    above = next_above;
    below = next_below;
    const V product = above * last_below;
    wanted &= abs(fma(-last_above, below, product)) > tolerance * abs(product);
    const auto large = abs(below) > kLarge;
    if (C10_UNLIKELY(any_lane(large))) {
      const V scale = large ? splat<V>(1 / kLarge) : splat<V>(1.0);
      above *= scale;
      below *= scale;
      last_above *= scale;
      last_below *= scale;
    }
  }
  return above / below;
}

// The regularized incomplete gamma functions for 0 < a < 10 and 0 < x < 1000: the series of the
// lower one below a + 1, the continued fraction of the upper one beyond (Abramowitz and Stegun
// 6.5.29 and 6.5.31).
template <bool Upper, typename V>
C10_ALWAYS_INLINE V incomplete_gamma(V a, V x, double tolerance) {
  const mask_of<V> low = x < a + 1.0;
  V factor{};
  if (any_lane(low)) {
    factor = lower_gamma_series(a, x, low, tolerance);
  }
  if (any_lane(~low)) {
    const V fraction = upper_gamma_fraction(a, x, ~low, tolerance);
    factor = low ? factor : fraction;
  }
  const V result = exp(fma(a, log(x), -x) - lgamma_of_positive(a)) * factor;
  return (Upper ? low : ~low) ? 1.0 - result : result;
}

} // namespace CPU_CAPABILITY
} // namespace at::vec
