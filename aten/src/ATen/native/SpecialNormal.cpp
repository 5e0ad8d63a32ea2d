// Modified Bessel functions, and functions of the normal distribution.
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

// ---- Bessel functions: Chebyshev series of exp(-x) I(x) / x^order up to 8, and of
// sqrt(x) exp(-x) I(x) beyond. tools/vec_math/chebyshev.py computes them.

constexpr double kNear0[] = {
    0x1.5a84e9035a22ap-2,  -0x1.37febc057cd8dp-2,  0x1.5f7ac77ac88c0p-3,  -0x1.84b70342d06eap-4,
    0x1.93e8acea8a32dp-5,  -0x1.84e9ef121b6f0p-6,  0x1.59961f3dde3ddp-7,  -0x1.1b65e201aa849p-8,
    0x1.adc758a12100ep-10, -0x1.2e2fd1f15eb52p-11, 0x1.8b51b74107cabp-13, -0x1.e2b2659c41d5ap-15,
    0x1.13f58be9a2859p-16, -0x1.2866fcba56427p-18, 0x1.2bf24978cf4acp-20, -0x1.1ec638f227f8dp-22,
    0x1.03b769d4d6435p-24, -0x1.beaf68c0b30abp-27, 0x1.6d903a454cb34p-29, -0x1.1d4fe13ae9556p-31,
    0x1.a98becc743c10p-34, -0x1.2fc957a946abcp-36, 0x1.9fe2fe19bd324p-39, -0x1.1164c62ee1af0p-41,
    0x1.59b464b262627p-44, -0x1.a5022c297fbebp-47, 0x1.ee6d893f65ebap-50, -0x1.184eb721ebbb4p-52,
    0x1.33362977da589p-55, -0x1.45cb72134d0efp-58};
constexpr double kFar0[] = {
    0x1.9be62aca809cbp-2,   0x1.b998ca2e59049p-9,   0x1.20fa378999e52p-14,  0x1.8412bc101c586p-19,
    0x1.b8007d9cd616ep-23,  0x1.8569280d6d56dp-26,  0x1.d2c64a9225b87p-29,  0x1.0f9ccc0f46f75p-31,
    0x1.a24feabe8004fp-37,  -0x1.1511d08397425p-35, -0x1.d0fd7357e7bf2p-37, -0x1.f904303178d66p-40,
    0x1.94347fa268cecp-41,  0x1.b1c8c6b83c073p-42,  0x1.156ff0d5fc545p-46,  -0x1.75d99cf68bb32p-45,
    -0x1.583fe7e65629ap-47, 0x1.12a919094e6d7p-48,  0x1.fee7da3eafb1fp-50,  -0x1.8aee7d908de38p-52,
    -0x1.4600babd21fe4p-52, 0x1.3f3dd076041cdp-55,  0x1.9be1812d98421p-55,  -0x1.646da6611912bp-58,
    -0x1.0adb754ca8b1dp-57};
constexpr double kNear1[] = {
    0x1.02a63724a7ffap-3,  -0x1.694d10469192ep-3,  0x1.a46dad536f53cp-4,  -0x1.b1bbc537c9ebcp-5,
    0x1.951e3e7bb2349p-6,  -0x1.5a29f7913a26ap-7,  0x1.1065349d3a1b4p-8,  -0x1.8cc620b3cd4a4p-10,
    0x1.0c95db6c6df7dp-11, -0x1.533cad3d694fep-13, 0x1.911b542c70d0bp-15, -0x1.bd5f9b8debbcfp-17,
    0x1.d1c4ed511afc5p-19, -0x1.cc0798363992ap-21, 0x1.ae344b347d108p-23, -0x1.7dd3e24b8c3e8p-25,
    0x1.4258e02395010p-27, -0x1.0361b28ea67e6p-29, 0x1.8ea34b43fdf6cp-32, -0x1.2510397eb07dep-34,
    0x1.9cee2b21d3154p-37, -0x1.173835fb70366p-39, 0x1.6af784779d955p-42, -0x1.c628e1c8f0b3bp-45,
    0x1.11d7f0615290cp-47, -0x1.3eaaa7e0d1573p-50, 0x1.663e3e593bfacp-53, -0x1.857d0c38a0576p-56,
    0x1.99f2a0c3c4014p-59};
constexpr double kFar1[] = {
    0x1.8ea18b55b1514p-2,   -0x1.3fda053fcdb4cp-7,  -0x1.cfd7f804aa9a6p-14, -0x1.048df49ca0373p-18,
    -0x1.0dbfd2e9e5443p-22, -0x1.c415394bb46c1p-26, -0x1.0790b9ad53528p-28, -0x1.334ca5423dd80p-31,
    -0x1.4dcf9d4504c0cp-36, 0x1.1e1a1f1587865p-35,  0x1.f101f653c457bp-37,  0x1.1e7d3f6439fa3p-39,
    -0x1.953e1076ab493p-41, -0x1.cbc458e73e255p-42, -0x1.7a9482e6d22a0p-46, 0x1.80d3c26b3281ep-45,
    0x1.776e1762d31e8p-47,  -0x1.12db5138afbc7p-48, -0x1.0efcd8bc4d22ap-49, 0x1.7d68e5f04a2d1p-52,
    0x1.55915fceb588ap-52,  -0x1.2806c9c773320p-55, -0x1.acea3b2532276p-55, 0x1.45b8aea87b94bp-58,
    0x1.1556db352e8eap-57};

// Clenshaw's recurrence.
template <int N>
double chebyshev(double t, const double (&coefficients)[N]) {
  double b = 0, before = 0;
  for (int k = N - 1; k > 0; --k) {
    const double next = 2 * t * b - before + coefficients[k];
    before = b;
    b = next;
  }
  return t * b - before + coefficients[0];
}

} // namespace

double i0e(double x) {
  const double a = std::abs(x);
  return a <= 8 ? chebyshev(a / 4 - 1, kNear0) : chebyshev(16 / a - 1, kFar0) / std::sqrt(a);
}

double i1e(double x) {
  const double a = std::abs(x);
  const double value =
      a <= 8 ? a * chebyshev(a / 4 - 1, kNear1) : chebyshev(16 / a - 1, kFar1) / std::sqrt(a);
  return std::copysign(value, x);
}

double i0(double x) {
  const double a = std::abs(x);
  return std::isinf(a) ? a : std::exp(a / 2) * i0e(a) * std::exp(a / 2);
}

double i1(double x) {
  const double a = std::abs(x);
  return std::isinf(a) ? x : std::exp(a / 2) * i1e(x) * std::exp(a / 2);
}

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

double log_ndtr(double x) {
  return x < -1 ? std::log(erfcx(-x * kRootHalf) / 2) - x * x / 2
                : std::log1p(-std::erfc(x * kRootHalf) / 2);
}

double entr(double x) {
  return x > 0 ? -x * std::log(x) : x == 0 ? 0 : x < 0 ? -kInfinity : x;
}

double sinc(double x) {
  return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

} // namespace at::native::special_math
