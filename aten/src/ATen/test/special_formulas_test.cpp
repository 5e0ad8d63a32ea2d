// The formulas of Bessel functions and orthogonal polynomials for one number, as CUDA kernels call
// them, against those of the C++ library.

#include <ATen/native/BesselFormulas.h>
#include <ATen/native/OrthogonalPolynomials.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace bessel = at::native::bessel;

namespace {

using Long = bessel::ScalarMath<false>;
using Short = bessel::ScalarMath<true>;

template <typename Function, typename Reference>
void expect_close(const Function& function, const Reference& reference, double tolerance) {
  for (int i = 1; i < 400; ++i) {
    const double x = i * 0.061;
    const double expected = reference(x);
    EXPECT_NEAR(function(x), expected, tolerance * (1 + std::abs(expected))) << "at " << x;
  }
}

template <typename Math>
void expect_bessel(double tolerance) {
  expect_close(
      bessel::j0<Math>, [](double x) { return std::cyl_bessel_j(0, x); }, tolerance);
  expect_close(
      bessel::j1<Math>, [](double x) { return std::cyl_bessel_j(1, x); }, tolerance);
  expect_close(
      bessel::y0<Math>, [](double x) { return std::cyl_neumann(0, x); }, tolerance);
  expect_close(
      bessel::y1<Math>, [](double x) { return std::cyl_neumann(1, x); }, tolerance);
  expect_close(
      bessel::k<Math, 0>, [](double x) { return std::cyl_bessel_k(0, x); }, tolerance);
  expect_close(
      bessel::k<Math, 1>, [](double x) { return std::cyl_bessel_k(1, x); }, tolerance);
  expect_close(
      bessel::scaled_k<Math, 1>, [](double x) { return std::exp(x) * std::cyl_bessel_k(1, x); },
      tolerance);
  expect_close(
      bessel::spherical_j0<Math>, [](double x) { return std::sph_bessel(0, x); }, tolerance);
  // Abramowitz and Stegun 10.4.14 and 10.4.15
  const auto angle = [](double x) { return 2.0 / 3 * x * std::sqrt(x); };
  expect_close(
      bessel::airy<Math>,
      [&](double x) {
        return std::sqrt(x / 3) / std::numbers::pi * std::cyl_bessel_k(1.0 / 3, angle(x));
      },
      tolerance);
  expect_close(
      [](double x) { return bessel::airy<Math>(-x); },
      [&](double x) {
        const double z = angle(x);
        // J_(-v) = cos(v pi) J_v - sin(v pi) Y_v
        const double j = std::cyl_bessel_j(1.0 / 3, z), y = std::cyl_neumann(1.0 / 3, z);
        return std::sqrt(x) / 3 * (1.5 * j - std::sqrt(0.75) * y);
      },
      tolerance);
}

TEST(SpecialFormulas, BesselFunctionsAgreeWithTheLibrary) {
  expect_bessel<Long>(1e-12);
  expect_bessel<Short>(1e-7);
}

TEST(SpecialFormulas, BesselFunctionsHaveTheirLimits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bessel::j0<Long>(0.0), 1);
  EXPECT_EQ(bessel::j1<Long>(0.0), 0);
  EXPECT_EQ(bessel::y0<Long>(0.0), -kInfinity);
  EXPECT_EQ(bessel::y1<Long>(0.0), -kInfinity);
  EXPECT_TRUE(std::isnan(bessel::y0<Long>(-1.0)));
  EXPECT_TRUE(std::isnan(bessel::y1<Long>(-1.0)));
  EXPECT_EQ((bessel::k<Long, 0>(0.0)), kInfinity);
  EXPECT_EQ((bessel::k<Long, 1>(0.0)), kInfinity);
  EXPECT_EQ((bessel::k<Long, 1>(kInfinity)), 0);
  EXPECT_TRUE(std::isnan(bessel::k<Long, 0>(-1.0)));
  EXPECT_EQ(bessel::airy<Long>(kInfinity), 0);
  EXPECT_EQ(bessel::spherical_j0<Long>(0.0), 1);
  EXPECT_EQ(bessel::spherical_j0<Long>(-kInfinity), 0);
}

template <typename T>
void expect_polynomials(T tolerance) {
  using namespace at::native::polynomials; // NOLINT: the names of families
  for (int n = 0; n < 40; ++n) {
    const T degree = static_cast<T>(n);
    for (int i = -9; i <= 9; ++i) {
      const T x = static_cast<T>(i) / T(10);
      const T angle = std::acos(x);
      EXPECT_NEAR(polynomial<ChebyshevT>(x, degree), std::cos(degree * angle), tolerance);
      const T second = std::sin((degree + 1) * angle) / std::sin(angle);
      EXPECT_NEAR(polynomial<ChebyshevU>(x, degree), second, 4 * tolerance);
      EXPECT_NEAR(polynomial<LegendreP>(x, degree), std::legendre(n, x), tolerance);
      if (n < 12) {
        const T hermite = std::hermite(n, x);
        EXPECT_NEAR(polynomial<HermiteH>(x, degree), hermite, tolerance * (1 + std::abs(hermite)));
        EXPECT_NEAR(
            polynomial<LaguerreL>(std::abs(x), degree), std::laguerre(n, std::abs(x)), tolerance);
      }
      const T inner = (x + 1) / 2;
      EXPECT_NEAR(
          shifted<ChebyshevV>(inner, degree),
          std::cos((degree + T(0.5)) * angle) / std::cos(angle / 2), 20 * tolerance);
    }
  }
  EXPECT_EQ(polynomial<ChebyshevT>(T(2), T(-1)), 0);
  EXPECT_EQ(polynomial<ChebyshevW>(T(1), T(3)), 7);
  EXPECT_EQ(polynomial<HermiteHe>(T(2), T(2)), 3);
}

TEST(SpecialFormulas, PolynomialsAgreeWithTheLibrary) {
  expect_polynomials<double>(1e-11);
  expect_polynomials<float>(3e-4F);
}

} // namespace
