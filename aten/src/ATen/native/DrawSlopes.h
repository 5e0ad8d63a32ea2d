#pragma once
// How a draw of the gamma or the beta distribution changes with the parameter alpha, if its
// quantile stays the same.

#include <ATen/native/SpecialFormulas.h>

namespace at::native::special_formulas {

// The power series of the integral F, differentiated term by term and divided by the density:
// -sum x^(n + 1) / (alpha (alpha + 1) ... (alpha + n)) (log x - digamma(alpha + n + 1)).
// For x <= 0.5 all terms have the same sign.
AT_LONG_FORMULA inline double gamma_draw_slope_series(double alpha, double x) {
  double factor = x / alpha, shape = alpha + 1;
  double offset = digamma(shape) - std::log(x);
  double sum = factor * offset;
  for (int n = 1; n < 60; ++n) {
    factor *= x / shape;
    offset += 1 / shape;
    shape += 1;
    const double term = factor * offset;
    sum += term;
    if (term <= sum * 1e-17) {
      break;
    }
  }
  return sum;
}

// The same for F(x) = x^alpha / B(alpha, beta) sum c_n x^n / (alpha + n) with
// c_n = (1 - beta) (2 - beta) ... (n - beta) / n!. The terms shrink fast for beta x <= 0.5.
AT_LONG_FORMULA inline double beta_draw_slope_series(double alpha, double beta, double x) {
  const double first = digamma(alpha + 1) - digamma(alpha + beta) - std::log(x);
  double factor = 1, sum = first / alpha;
  for (int n = 1; n < 200; ++n) {
    factor *= (n - beta) / n * x;
    const double term = factor / (alpha + n) * (first - n / (alpha * (alpha + n)));
    sum += term;
    if (std::abs(term) <= std::abs(sum) * 1e-17) {
      break;
    }
  }
  return x * std::exp((1 - beta) * std::log1p(-x)) * sum;
}

// -(dF / dalpha) / f(x) for the density f and its integral F. With t = x exp(u), f(t) dt / f(x) is
// x exp(alpha u - x (exp(u) - 1)) du, and d log f / dalpha = log t - digamma(alpha) has one sign on
// the side of its zero that x is on; so that side is integrated.
template <typename Nodes>
AT_LONG_FORMULA double gamma_draw_slope(const Nodes& nodes, double alpha, double x) {
  if (!(alpha > 0) || !(x >= 0)) {
    return kNan;
  }
  if (x == 0) {
    return 0;
  }
  if (x <= 0.5) {
    return gamma_draw_slope_series(alpha, x);
  }
  const double offset = std::log(x) - digamma(alpha);
  const double side = offset > 0 ? 1 : -1;
  const double width = 1 / largest(std::abs(x - alpha), std::sqrt(x), smaller(alpha, 1.0));
  const auto exponent = [=](double u) {
    return side * (alpha - x) * u - x * expm1_minus(side * u);
  };
  return side * x * integral(nodes, width, exponent, [=](double u) { return offset + side * u; });
}

// The same for the beta distribution, with t / (1 - t) = x / (1 - x) exp(u).
template <typename Nodes>
AT_LONG_FORMULA double beta_draw_slope(const Nodes& nodes, double alpha, double beta, double x) {
  if (!(alpha > 0) || !(beta > 0) || !(x >= 0 && x <= 1)) {
    return kNan;
  }
  if (x == 0 || x == 1) {
    return 0;
  }
  if (x * largest(beta, 1.0, 0.0) <= 0.5) {
    return beta_draw_slope_series(alpha, beta, x);
  }
  const double total = alpha + beta;
  const double offset = std::log(x) - digamma(alpha) + digamma(total);
  const double side = offset > 0 ? 1 : -1;
  const double rate = smaller(side > 0 ? beta : alpha, 1.0);
  const double width =
      1 / largest(std::abs(alpha - total * x), std::sqrt(total * x * (1 - x)), rate);
  const auto growth = [=](double u) { // log((1 - x) / (1 - t)) or its kin, without overflow
    return side * u > 30 ? side * u + std::log(x + (1 - x) * std::exp(-side * u))
                         : std::log1p(x * std::expm1(side * u));
  };
  const auto exponent = [=](double u) { return alpha * side * u - total * growth(u); };
  const auto factor = [=](double u) { return offset + side * u - growth(u); };
  return side * x * (1 - x) * integral(nodes, width, exponent, factor);
}

} // namespace at::native::special_formulas
