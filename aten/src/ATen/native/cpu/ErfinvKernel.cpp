#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <cmath>
#include <limits>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

double polynomial(double w, const double (&c)[9]) {
  double p = c[0];
  for (int i = 1; i < 9; ++i) {
    p = p * w + c[i];
  }
  return p;
}

// Single precision: Giles, "Approximating the erfinv function" (2010).
double erfinv_estimate(double y) {
  constexpr double kCentre[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                -0.00417768164,  0.246640727,    1.50140941};
  constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                              -0.00367342844,  0.00573950773,  -0.0076224613,
                              0.00943887047,   1.00167406,     2.83297682};
  const double w = -std::log((1 - y) * (1 + y));
  return y * (w < 5 ? polynomial(w - 2.5, kCentre) : polynomial(std::sqrt(w) - 3, kTail));
}

// Two Newton steps extend it to double precision. In the tail the complement preserves the digits.
double erfinv(double y) {
  const double size = std::abs(y);
  if (!(size < 1)) {
    return size == 1 ? std::copysign(std::numeric_limits<double>::infinity(), y)
                     : std::numeric_limits<double>::quiet_NaN();
  }
  constexpr double kHalfRootPi = 0.8862269254527580;
  double x = erfinv_estimate(size);
  for (int step = 0; step < 2; ++step) {
    const double excess = size > 0.5 ? (1 - size) - std::erfc(x) : std::erf(x) - size;
    x -= excess * kHalfRootPi * std::exp(x * x);
  }
  return std::copysign(x, y);
}

void erfinv_kernel(TensorIteratorBase& iter) {
  for_floating(iter.common_dtype(), "erfinv_vml_cpu", [&]<typename T>(T) {
    cpu_kernel(iter, [](T y) -> T { return static_cast<T>(erfinv(static_cast<double>(y))); });
  });
}

} // namespace

REGISTER_DISPATCH(erfinv_stub, &erfinv_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
