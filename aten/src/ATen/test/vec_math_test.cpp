// Compares the vector math of the current capability with long double. Run it with
// ATEN_CPU_CAPABILITY set to default, avx2 and avx512 to cover all three.

#include <ATen/ATen.h>
#include <ATen/native/DispatchStub.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

template <typename T>
double ulps_apart(T got, long double want) {
  const T nearest = static_cast<T>(want);
  if (std::isnan(nearest) || std::isnan(got)) {
    return std::isnan(nearest) && std::isnan(got) ? 0 : INFINITY;
  }
  if (std::isinf(nearest) || std::isinf(got)) {
    return nearest == got ? 0 : INFINITY;
  }
  const T size = std::fabs(nearest);
  const T step = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / step);
}

template <typename T>
std::vector<T> arguments(double low, double high) {
  using L = std::numeric_limits<T>;
  std::vector<T> values = {T(0),           -T(0),          T(1),     -T(1),
                           L::infinity(),  -L::infinity(), L::min(), L::denorm_min(),
                           L::quiet_NaN(), T(0.5)};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> even(low, high);
  std::uniform_real_distribution<double> magnitude(-25, 2);
  for (int i = 0; i < 40000; ++i) {
    values.push_back(static_cast<T>(even(random)));
    const double tiny = std::exp2(magnitude(random));
    values.push_back(static_cast<T>(low < 0 && i % 2 == 0 ? -tiny : tiny));
  }
  return values;
}

using Operator = at::Tensor (*)(const at::Tensor&);
using Reference = long double (*)(long double);

template <typename T>
void expect_close(
    const char* name, Operator op, Reference reference, double low, double high, double limit) {
  const auto values = arguments<T>(low, high);
  auto x = at::empty({static_cast<int64_t>(values.size())}, c10::CppTypeToScalarType<T>::value);
  std::copy(values.begin(), values.end(), x.template mutable_data_ptr<T>());
  const auto y = op(x);
  const T* results = y.template const_data_ptr<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    const long double want = reference(static_cast<long double>(values[i]));
    ASSERT_LE(ulps_apart(results[i], want), limit)
        << name << "(" << values[i] << ") gave " << results[i];
  }
}

void expect_each(
    const char* name, Operator op, Reference reference, double low, double high, double limit) {
  expect_close<float>(name, op, reference, low, high, limit);
  expect_close<double>(name, op, reference, low, high, limit);
}

void expect_both(const char* name, Operator op, Reference reference, double low, double high) {
  expect_close<float>(name, op, reference, low, high, 2.0);
  expect_close<double>(name, op, reference, low, high, 2.1);
}

long double sigmoid_reference(long double x) {
  return 1 / (1 + std::exp(-x));
}

TEST(VecMath, StaysWithinTwoUnitsInTheLastPlace) {
  expect_both(
      "exp", [](const at::Tensor& x) { return at::exp(x); }, std::exp, -80, 88);
  expect_both(
      "expm1", [](const at::Tensor& x) { return at::expm1(x); }, std::expm1, -20, 88);
  expect_both(
      "log", [](const at::Tensor& x) { return at::log(x); }, std::log, 0, 1000);
  expect_both(
      "log1p", [](const at::Tensor& x) { return at::log1p(x); }, std::log1p, -1, 10);
  expect_both(
      "sin", [](const at::Tensor& x) { return at::sin(x); }, std::sin, -1e4, 1e4);
  expect_both(
      "cos", [](const at::Tensor& x) { return at::cos(x); }, std::cos, -1e4, 1e4);
  expect_both(
      "tanh", [](const at::Tensor& x) { return at::tanh(x); }, std::tanh, -10, 10);
  expect_both(
      "erf", [](const at::Tensor& x) { return at::erf(x); }, std::erf, -6, 6);
  expect_both(
      "sigmoid", [](const at::Tensor& x) { return at::sigmoid(x); }, sigmoid_reference, -30, 30);
  expect_both(
      "sqrt", [](const at::Tensor& x) { return at::sqrt(x); }, std::sqrt, 0, 1e6);
}

// Functions that are composed of others round more often.
TEST(VecMath, ComposedFunctionsStayWithinTheirLimits) {
  // Without FMA, more intermediate results are rounded.
  const double tan_limit =
      at::native::get_cpu_capability() == at::native::CPUCapability::DEFAULT ? 2.7 : 2.3;
  expect_each(
      "tan", [](const at::Tensor& x) { return at::tan(x); }, std::tan, -1000.0, 1000.0, tan_limit);
  expect_each(
      "tan", [](const at::Tensor& x) { return at::tan(x); }, std::tan, -2.0, 2.0, tan_limit);
  expect_each(
      "atan", [](const at::Tensor& x) { return at::atan(x); }, std::atan, -20, 20, 2.3);
  expect_each(
      "asin", [](const at::Tensor& x) { return at::asin(x); }, std::asin, -1, 1, 2.3);
  expect_each(
      "acos", [](const at::Tensor& x) { return at::acos(x); }, std::acos, -1, 1, 2.3);
  expect_each(
      "sinh", [](const at::Tensor& x) { return at::sinh(x); }, std::sinh, -80, 80, 2.3);
  expect_each(
      "cosh", [](const at::Tensor& x) { return at::cosh(x); }, std::cosh, -80, 80, 2.3);
  expect_each(
      "asinh", [](const at::Tensor& x) { return at::asinh(x); }, std::asinh, -1000.0, 1000.0, 2.3);
  expect_each(
      "acosh", [](const at::Tensor& x) { return at::acosh(x); }, std::acosh, 1, 1000.0, 2.3);
  expect_each(
      "atanh", [](const at::Tensor& x) { return at::atanh(x); }, std::atanh, -1, 1, 2.3);
  expect_each(
      "log2", [](const at::Tensor& x) { return at::log2(x); }, std::log2, 0, 1000, 2.3);
  expect_each(
      "log10", [](const at::Tensor& x) { return at::log10(x); }, std::log10, 0, 1000, 2.3);
  expect_each(
      "exp2", [](const at::Tensor& x) { return at::exp2(x); }, std::exp2, -120, 120, 2.3);
  expect_each(
      "erfc", [](const at::Tensor& x) { return at::erfc(x); }, std::erfc, -4, 9, 4.0);
  expect_each(
      "erfc", [](const at::Tensor& x) { return at::erfc(x); }, std::erfc, -0.5, 0.5, 4.0);
}

TEST(VecMath, ExponentialsVanishWhereTheyRoundToZero) {
  const struct {
    const char* name;
    Operator op;
    Reference reference;
    double single, twice; // results of floats and of doubles are subnormal around these
  } functions[] = {
      {"exp", [](const at::Tensor& x) { return at::exp(x); }, std::exp, -104, -745},
      {"exp2", [](const at::Tensor& x) { return at::exp2(x); }, std::exp2, -149, -1074},
      {"sigmoid", [](const at::Tensor& x) { return at::sigmoid(x); }, sigmoid_reference, -104,
       -745},
      {"erfc", [](const at::Tensor& x) { return at::erfc(x); }, std::erfc, 10, 27.2},
  };
  for (const auto& each : functions) {
    expect_close<float>(each.name, each.op, each.reference, each.single - 2, each.single + 2, 4.1);
    expect_close<double>(each.name, each.op, each.reference, each.twice - 2, each.twice + 2, 4.1);
    expect_each(each.name, each.op, each.reference, -2000, -100, 4.1);
    expect_each(each.name, each.op, each.reference, 1500, 2000, 4.1);
  }
}

TEST(VecMath, ErfinvOfFloatsAgreesWithThatOfDoubles) {
  const Reference in_double = [](long double y) -> long double {
    return at::erfinv(at::full({}, static_cast<double>(y), at::kDouble)).item().toDouble();
  };
  expect_close<float>(
      "erfinv", [](const at::Tensor& y) { return at::erfinv(y); }, in_double, -1, 1, 2.5);
}

// Where the logarithm is small, numbers are subnormal or large, and from piece to piece of a table.
TEST(VecMath, LogarithmsAreAccurateEverywhere) {
  struct Logarithm {
    const char* name;
    Operator op;
    Reference reference;
  };
  const Logarithm all[] = {
      {"log", [](const at::Tensor& x) { return at::log(x); }, std::log},
      {"log2", [](const at::Tensor& x) { return at::log2(x); }, std::log2},
      {"log10", [](const at::Tensor& x) { return at::log10(x); }, std::log10}};
  for (const Logarithm& each : all) {
    expect_each(each.name, each.op, each.reference, 0.96, 1.06, 2.3);
    expect_each(each.name, each.op, each.reference, 0.5, 2, 2.3);
    expect_each(each.name, each.op, each.reference, 1e-44, 1e-37, 2.3);
    expect_each(each.name, each.op, each.reference, 1e20, 3.4e38, 2.3);
    expect_close<double>(each.name, each.op, each.reference, 1e-322, 1e-307, 2.3);
    expect_close<double>(each.name, each.op, each.reference, 1e300, 1.7e308, 2.3);
  }
}

TEST(VecMath, AnglesOfPointsFollowTheStandard) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0.0f, -0.0f, 1.0f, -2.5f, infinity, -infinity, NAN, 3e38f};
  for (const float y : values) {
    for (const float x : values) {
      const auto angle = at::atan2(at::full({17}, y), at::full({17}, x)).select(0, 3);
      EXPECT_LE(ulps_apart(angle.item().toFloat(), std::atan2((long double)y, (long double)x)), 2)
          << y << ", " << x;
      EXPECT_EQ(std::signbit(angle.item().toFloat()), std::signbit(std::atan2(y, x))) << y << x;
    }
  }
}

TEST(VecMath, GivesTheSameBitsWhateverTheLayout) {
  const auto wide = at::rand({67, 2}, at::kFloat) * 8 - 4;
  const auto strided = wide.select(1, 0);
  const auto packed = strided.contiguous();
  EXPECT_TRUE(at::equal(at::exp(strided), at::exp(packed)));
  EXPECT_TRUE(at::equal(at::tanh(strided), at::tanh(packed)));
  EXPECT_TRUE(at::equal(at::sin(strided), at::sin(packed)));
}

TEST(VecMath, LargeArgumentsOfSineKeepTheirAccuracy) {
  expect_close<double>(
      "sin", [](const at::Tensor& x) { return at::sin(x); }, std::sin, -1e15, 1e15, 2.0);
}

} // namespace
