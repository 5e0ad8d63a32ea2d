#pragma once
// The special functions of SpecialMath.h as formulas for all devices.

#include <ATen/native/ScalarMath.h>
#include <c10/macros/Macros.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

// Long formulas are functions of their own in device code: kernels of all dtypes call one copy.
// Those that call others, or need many registers, are inlined instead, into kernels of
// cuda/LongFormulas.cuh: as functions they would have to save registers in memory.
#if defined(__CUDACC__)
#define AT_LONG_FORMULA C10_HOST_DEVICE __noinline__
#else
#define AT_LONG_FORMULA
#endif

namespace at::native::special_formulas {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;
constexpr double kRootHalf = std::numbers::sqrt2 / 2;

// log |gamma(x)|
C10_HOST_DEVICE inline double lgamma(double x) {
#if defined(__CUDA_ARCH__)
  return ::lgamma(x);
#else
  int sign = 0;
  return ::lgamma_r(x, &sign); // std::lgamma writes a global
#endif
}

// ---- integrals from 0 to infinity, by exp-sinh quadrature (Takahasi and Mori, 1974) -------------

struct Node {
  double place, weight;
};

constexpr int kNodes = 129;

// On the CPU they come from a table.
C10_HOST_DEVICE inline Node node_at(int i) {
  constexpr double kStep = 1.0 / 16;
  constexpr int kMiddle = kNodes / 2;
  const double t = (i - kMiddle) * kStep;
  const double place = std::exp(kPi / 2 * std::sinh(t));
  return {place, place * kPi / 2 * std::cosh(t) * kStep};
}
struct ComputedNodes {
  C10_HOST_DEVICE Node operator[](int i) const { return node_at(i); }
};

C10_HOST_DEVICE inline double largest(double a, double b, double c) {
  const double most = a > b ? a : b;
  return most > c ? most : c;
}
C10_HOST_DEVICE inline double smaller(double a, double b) {
  return a < b ? a : b;
}

// The integral of exp(exponent(u)) factor(u) over u > 0; the exponent falls over about `width`.
template <typename Nodes, typename Exponent, typename Factor>
C10_HOST_DEVICE double integral(
    const Nodes& nodes, double width, const Exponent& exponent, const Factor& factor) {
  double sum = 0;
  for (int i = 0; i < kNodes; ++i) {
    const Node node = nodes[i];
    const double u = width * node.place;
    const double e = exponent(u);
    if (e > -745) {
      sum += node.weight * std::exp(e) * factor(u);
    }
  }
  return width * sum;
}

// exp(u) - 1 - u
C10_HOST_DEVICE inline double expm1_minus(double u) {
  if (std::abs(u) > 0.5) {
    return std::expm1(u) - u;
  }
  double term = u * u / 2, sum = term;
  for (int k = 3; k < 20 && std::abs(term) > 1e-18 * std::abs(sum); ++k) {
    term *= u / k;
    sum += term;
  }
  return sum;
}

// log(1 + u) - u
C10_HOST_DEVICE inline double log1p_minus(double u) {
  if (std::abs(u) > 0.25) {
    return std::log1p(u) - u;
  }
  double power = u * u, sum = 0;
  for (int k = 2; k < 40; ++k) {
    const double term = (k % 2 == 0 ? -power : power) / k;
    sum += term;
    if (std::abs(term) < 1e-17 * std::abs(sum)) {
      break;
    }
    power *= u;
  }
  return sum;
}

// What Stirling's formula leaves of lgamma(a), for a >= 10.
C10_HOST_DEVICE inline double stirling_rest(double a) {
  const double z = 1 / (a * a);
  return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / a;
}

// x^a exp(-x) / gamma(a)
AT_LONG_FORMULA inline double gamma_density(double a, double x) {
  if (a < 10) {
    return std::exp(a * std::log(x) - x - lgamma(a));
  }
  // The logarithm is a difference of large numbers, so the difference is taken first.
  return std::sqrt(a / (2 * kPi)) * std::exp(a * log1p_minus((x - a) / a) - stirling_rest(a));
}

// gammainc for x < a, gammaincc otherwise: with t = x exp(u), the integrand falls from u = 0 on.
template <typename Nodes>
AT_LONG_FORMULA double smaller_tail(const Nodes& nodes, double a, double x, double density) {
  const double side = x < a ? -1 : 1;
  const double width = 1 / largest(std::abs(x - a), std::sqrt(x), smaller(a, 1.0));
  const auto exponent = [=](double u) { return side * (a - x) * u - x * expm1_minus(side * u); };
  return density * integral(nodes, width, exponent, [](double) { return 1.0; });
}

AT_LONG_FORMULA inline double lower_series(double a, double x, double density, double tolerance) {
  double term = 1 / a, sum = term;
  for (double n = a + 1; term > tolerance * sum; n += 1) {
    term *= x / n;
    sum += term;
  }
  return density * sum;
}

// The continued fraction of Abramowitz and Stegun 6.5.31 by the recurrence of its numerators and
// denominators, which needs no division.
AT_LONG_FORMULA inline double upper_fraction(double a, double x, double density, double tolerance) {
  constexpr double kLarge = 1e150;
  double b = x + 1 - a;
  double above = 1, below = b, last_above = 0, last_below = 1;
  for (int i = 1; i < 10000; ++i) {
    const double by = -i * (i - a);
    b += 2;
    const double next_above = b * above + by * last_above;
    const double next_below = b * below + by * last_below;
    last_above = above;
    last_below = below;
    above = next_above;
    below = next_below;
    const double product = above * last_below;
    if (std::abs(product - last_above * below) <= tolerance * std::abs(product)) {
      break;
    }
    if (std::abs(below) > kLarge) {
      above /= kLarge;
      below /= kLarge;
      last_above /= kLarge;
      last_below /= kLarge;
    }
  }
  return density * above / below;
}

// Returns whether `value` is the lower function, else it is the upper one.
template <typename Nodes>
C10_HOST_DEVICE bool incomplete_gamma(
    const Nodes& nodes, double a, double x, double tolerance, double& value) {
  const double density = gamma_density(a, x);
  if (a > 100) {
    value = smaller_tail(nodes, a, x, density);
    return x < a;
  }
  if (x < a + 1) {
    value = lower_series(a, x, density, tolerance);
    return true;
  }
  value = upper_fraction(a, x, density, tolerance < 1e-16 ? 1e-16 : tolerance);
  return false;
}

// The values at the ends of the domain, and of NaN: where one argument decides, the other may be
// NaN.
C10_HOST_DEVICE inline bool is_incomplete_gamma_end(double a, double x, double& lower) {
  if (a < 0 || x < 0 || (a == 0 && !(x > 0)) || (std::isinf(a) && std::isinf(x))) {
    lower = kNan;
  } else if (a != 0 && (x == 0 || std::isinf(a))) {
    lower = 0;
  } else if (a == 0 || std::isinf(x)) {
    lower = 1;
  } else if (std::isnan(a) || std::isnan(x)) {
    lower = kNan;
  } else {
    return false;
  }
  return true;
}

AT_LONG_FORMULA inline double positive_zeta(double s, double q) {
  // The factors of the Euler-Maclaurin formula, B(2j) / (2j)!.
  constexpr double kEulerMaclaurin[] = {1.0 / 12,          -1.0 / 720,
                                        1.0 / 30240,       -1.0 / 1209600,
                                        1.0 / 47900160,    -691.0 / 1307674368e3,
                                        1.0 / 74724249600, -3617.0 / 10670622842880e3};
  double sum = 0;
  for (const double enough = 10 + s; q < enough; q += 1) {
    const double term = std::pow(q, -s);
    sum += term;
    if (term <= 1e-17 * sum) {
      return sum;
    }
  }
  const double power = std::pow(q, -s);
  sum += power * q / (s - 1) + 0.5 * power;
  double factor = s * power / q;
  double k = s;
  for (int j = 0; j < 8; ++j) {
    sum += kEulerMaclaurin[j] * factor;
    factor *= (k + 1) * (k + 2) / (q * q);
    k += 2;
  }
  return sum;
}

// Reflection for negative numbers, the recurrence up to 10, and then the asymptotic series
// (Abramowitz and Stegun 6.3.7, 6.3.5, 6.3.18).
AT_LONG_FORMULA inline double digamma(double x) {
  if (x == 0) {
    return std::copysign(kInfinity, -x);
  }
  double below = 0;
  if (x < 0) {
    const double fraction = x - std::trunc(x);
    if (fraction == 0) {
      return kNan;
    }
    below = kPi / std::tan(kPi * fraction);
    x = 1 - x;
  }
  for (; x < 10; x += 1) {
    below += 1 / x;
  }
  constexpr double kTerms[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const double z = 1 / (x * x);
  double series = 0;
  for (int i = 6; i >= 0; --i) {
    series = z * (series + kTerms[i]);
  }
  return std::log(x) - 0.5 / x - series - below;
}

// For q < 0, where s must be an integer, the terms before and after 0 are summed apart.
AT_LONG_FORMULA inline double zeta(double s, double q) {
  if (s == 1) {
    return kInfinity;
  }
  if (!(s > 1) || q != q) {
    return kNan;
  }
  if (q > 0) {
    return std::isinf(q) ? 0 : positive_zeta(s, q);
  }
  if (q == std::floor(q)) {
    return kInfinity;
  }
  if (s != std::floor(s)) {
    return kNan;
  }
  const double fraction = q - std::floor(q);
  const double before = positive_zeta(s, 1 - fraction) - positive_zeta(s, 1 - q);
  return positive_zeta(s, fraction) + (std::fmod(s, 2) == 0 ? before : -before);
}

AT_LONG_FORMULA inline double polygamma(int64_t n, double x) {
  if (n == 0) {
    return digamma(x);
  }
  const double order = static_cast<double>(n) + 1;
  return (n % 2 != 0 ? 1.0 : -1.0) * std::exp(lgamma(order)) * zeta(order, x);
}

template <typename Nodes>
C10_HOST_DEVICE double gammainc(const Nodes& nodes, double a, double x, double tolerance) {
  double value = 0;
  if (is_incomplete_gamma_end(a, x, value)) {
    return value;
  }
  return incomplete_gamma(nodes, a, x, tolerance, value) ? value : 1 - value;
}

template <typename Nodes>
C10_HOST_DEVICE double gammaincc(const Nodes& nodes, double a, double x, double tolerance) {
  double value = 0;
  if (is_incomplete_gamma_end(a, x, value)) {
    return 1 - value;
  }
  return incomplete_gamma(nodes, a, x, tolerance, value) ? 1 - value : value;
}

// ---- the normal distribution

C10_HOST_DEVICE inline double erfcx(double x) {
  if (x > 10) { // the asymptotic series, Abramowitz and Stegun 7.1.23
    const double z = 0.5 / (x * x);
    double term = 1, sum = 1;
    for (int k = 1; k < 26 && std::abs(term) > 1e-17; k += 2) {
      term *= -k * z;
      sum += term;
    }
    return sum / (x * std::sqrt(std::numbers::pi));
  }
  // x^2 as the exact square of a short number, and the rest.
  const double near = std::round(x * 256) / 256;
  const double square = std::exp(near * near) * std::exp((x - near) * (x + near));
  return x < -27 ? (x == x ? kInfinity : x) : square * std::erfc(x);
}

// Newton's method for the logarithm in the tails, which is close to a parabola there.
C10_HOST_DEVICE inline double ndtri(double p) {
  if (!(p > 0) || !(p < 1)) {
    return p == 0 ? -kInfinity : p == 1 ? kInfinity : kNan;
  }
  const double tail = p < 0.5 ? p : 1 - p;
  if (tail > 0.1) {
    return std::numbers::sqrt2 * scalar_math::erfinv(2 * p - 1);
  }
  const double target = std::log(tail);
  double y = std::sqrt(-2 * target - std::log(-4 * std::numbers::pi * target));
  for (int step = 0; step < 4; ++step) {
    const double scaled = erfcx(y * kRootHalf);
    const double excess = std::log(scaled / 2) - y * y / 2 - target;
    y += excess * scaled / std::sqrt(2 / std::numbers::pi);
  }
  return p < 0.5 ? -y : y;
}

C10_HOST_DEVICE inline double log_ndtr(double x) {
  return x < -1 ? std::log(erfcx(-x * kRootHalf) / 2) - x * x / 2
                : std::log1p(-std::erfc(x * kRootHalf) / 2);
}

} // namespace at::native::special_formulas
