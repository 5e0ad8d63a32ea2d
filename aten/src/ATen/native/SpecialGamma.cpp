// The gamma function's logarithm, its derivatives, and its incomplete integrals.
#include <ATen/native/SpecialMath.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace at::native::special_math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;

// ---- integrals from 0 to infinity, by exp-sinh quadrature (Takahasi and Mori, 1974) -------------

struct Node {
  double place, weight;
};

constexpr int kNodes = 129;

const std::array<Node, kNodes>& nodes() {
  static const std::array<Node, kNodes> table = [] {
    constexpr double kStep = 1.0 / 16;
    constexpr int kMiddle = kNodes / 2;
    std::array<Node, kNodes> made{};
    for (int i = 0; i < kNodes; ++i) {
      const double t = (i - kMiddle) * kStep;
      const double place = std::exp(kPi / 2 * std::sinh(t));
      made[static_cast<size_t>(i)] = {place, place * kPi / 2 * std::cosh(t) * kStep};
    }
    return made;
  }();
  return table;
}

// The integral of exp(exponent(u)) factor(u) over u > 0; the exponent falls over about `width`.
template <typename Exponent, typename Factor>
double integral(double width, const Exponent& exponent, const Factor& factor) {
  double sum = 0;
  for (const Node& node : nodes()) {
    const double u = width * node.place;
    const double e = exponent(u);
    if (e > -745) {
      sum += node.weight * std::exp(e) * factor(u);
    }
  }
  return width * sum;
}

// exp(u) - 1 - u
double expm1_minus(double u) {
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
double log1p_minus(double u) {
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
double stirling_rest(double a) {
  const double z = 1 / (a * a);
  return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / a;
}

// x^a exp(-x) / gamma(a)
double gamma_density(double a, double x) {
  if (a < 10) {
    return std::exp(a * std::log(x) - x - lgamma(a));
  }
  // The logarithm is a difference of large numbers, so the difference is taken first.
  return std::sqrt(a / (2 * kPi)) * std::exp(a * log1p_minus((x - a) / a) - stirling_rest(a));
}

// gammainc for x < a, gammaincc otherwise: with t = x exp(u), the integrand falls from u = 0 on.
double smaller_tail(double a, double x, double density) {
  const double side = x < a ? -1 : 1;
  const double width = 1 / std::max({std::abs(x - a), std::sqrt(x), std::min(a, 1.0)});
  const auto exponent = [=](double u) { return side * (a - x) * u - x * expm1_minus(side * u); };
  return density * integral(width, exponent, [](double) { return 1.0; });
}

double lower_series(double a, double x, double density, double tolerance) {
  double term = 1 / a, sum = term;
  for (double n = a + 1; term > tolerance * sum; n += 1) {
    term *= x / n;
    sum += term;
  }
  return density * sum;
}

// The continued fraction of Abramowitz and Stegun 6.5.31 by the recurrence of its numerators and
// denominators, which needs no division.
double upper_fraction(double a, double x, double density, double tolerance) {
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
bool incomplete_gamma(double a, double x, double tolerance, double& value) {
  const double density = gamma_density(a, x);
  if (a > 100) {
    value = smaller_tail(a, x, density);
    return x < a;
  }
  if (x < a + 1) {
    value = lower_series(a, x, density, tolerance);
    return true;
  }
  value = upper_fraction(a, x, density, std::max(tolerance, 1e-16));
  return false;
}

// The values at the ends of the domain; NaN inside it.
bool is_incomplete_gamma_end(double a, double x, double& lower) {
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (std::isinf(a) && std::isinf(x))) {
    lower = kNan;
  } else if (a == 0 || std::isinf(x)) {
    lower = 1;
  } else if (x == 0 || std::isinf(a)) {
    lower = 0;
  } else {
    return false;
  }
  return true;
}

// The factors of the Euler-Maclaurin formula, B(2j) / (2j)!.
constexpr double kEulerMaclaurin[] = {1.0 / 12,          -1.0 / 720,
                                      1.0 / 30240,       -1.0 / 1209600,
                                      1.0 / 47900160,    -691.0 / 1307674368e3,
                                      1.0 / 74724249600, -3617.0 / 10670622842880e3};

double positive_zeta(double s, double q) {
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
  for (const double coefficient : kEulerMaclaurin) {
    sum += coefficient * factor;
    factor *= (k + 1) * (k + 2) / (q * q);
    k += 2;
  }
  return sum;
}

} // namespace

double lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign); // std::lgamma writes a global
}

// Reflection for negative numbers, the recurrence up to 10, and then the asymptotic series
// (Abramowitz and Stegun 6.3.7, 6.3.5, 6.3.18).
double digamma(double x) {
  if (x == 0) {
    return std::copysign(kInfinity, -x);
  }
  if (x < 0) {
    const double fraction = x - std::trunc(x);
    return fraction == 0 ? kNan : digamma(1 - x) - kPi / std::tan(kPi * fraction);
  }
  double below = 0;
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
double zeta(double s, double q) {
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

double polygamma(int64_t n, double x) {
  if (n == 0) {
    return digamma(x);
  }
  const double order = static_cast<double>(n) + 1;
  return (n % 2 != 0 ? 1.0 : -1.0) * std::exp(lgamma(order)) * zeta(order, x);
}

double gammainc(double a, double x, double tolerance) {
  double value = 0;
  if (is_incomplete_gamma_end(a, x, value)) {
    return value;
  }
  return incomplete_gamma(a, x, tolerance, value) ? value : 1 - value;
}

double gammaincc(double a, double x, double tolerance) {
  double value = 0;
  if (is_incomplete_gamma_end(a, x, value)) {
    return 1 - value;
  }
  return incomplete_gamma(a, x, tolerance, value) ? 1 - value : value;
}

// -(dF / dalpha) / f(x) for the density f and its integral F. With t = x exp(u), f(t) dt / f(x) is
// x exp(alpha u - x (exp(u) - 1)) du, and d log f / dalpha = log t - digamma(alpha) has one sign on
// the side of its zero that x is on; so that side is integrated.
double gamma_draw_slope(double alpha, double x) {
  if (!(alpha > 0) || !(x >= 0)) {
    return kNan;
  }
  if (x == 0) {
    return 0;
  }
  const double offset = std::log(x) - digamma(alpha);
  const double side = offset > 0 ? 1 : -1;
  const double width = 1 / std::max({std::abs(x - alpha), std::sqrt(x), std::min(alpha, 1.0)});
  const auto exponent = [=](double u) {
    return side * (alpha - x) * u - x * expm1_minus(side * u);
  };
  return side * x * integral(width, exponent, [=](double u) { return offset + side * u; });
}

// The same for the beta distribution, with t / (1 - t) = x / (1 - x) exp(u).
double beta_draw_slope(double alpha, double beta, double x) {
  if (!(alpha > 0) || !(beta > 0) || !(x >= 0 && x <= 1)) {
    return kNan;
  }
  if (x == 0 || x == 1) {
    return 0;
  }
  const double total = alpha + beta;
  const double offset = std::log(x) - digamma(alpha) + digamma(total);
  const double side = offset > 0 ? 1 : -1;
  const double rate = std::min(side > 0 ? beta : alpha, 1.0);
  const double width =
      1 / std::max({std::abs(alpha - total * x), std::sqrt(total * x * (1 - x)), rate});
  const auto growth = [=](double u) { // log((1 - x) / (1 - t)) or its kin, without overflow
    return side * u > 30 ? side * u + std::log(x + (1 - x) * std::exp(-side * u))
                         : std::log1p(x * std::expm1(side * u));
  };
  const auto exponent = [=](double u) { return alpha * side * u - total * growth(u); };
  const auto factor = [=](double u) { return offset + side * u - growth(u); };
  return side * x * (1 - x) * integral(width, exponent, factor);
}

} // namespace at::native::special_math
