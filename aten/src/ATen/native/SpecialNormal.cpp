// Functions of the normal distribution.
#include <ATen/native/ScalarMath.h>
#include <ATen/native/SpecialMath.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace at::native::special_math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kRootHalf = std::numbers::sqrt2 / 2;

// exp(x^2) erfc(x)
double erfcx(double x) {
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

} // namespace

// Newton's method for the logarithm in the tails, which is close to a parabola there.
double ndtri(double p) {
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

} // namespace at::native::special_math
