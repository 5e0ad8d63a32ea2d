#include <ATen/cpu/vec/vec_pow.h>
#include <ATen/native/ScalarMath.h>
#include <ATen/native/TernaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>
#include <c10/core/Scalar.h>
#include <c10/util/complex_math.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void pow_tensor_tensor_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  switch (dtype) {
    case kComplexFloat:
      return cpu_kernel(
          iter, [](c10::complex<float> a, c10::complex<float> b) -> c10::complex<float> {
            return std::pow(a, b);
          });
    case kComplexDouble:
      return cpu_kernel(
          iter, [](c10::complex<double> a, c10::complex<double> b) -> c10::complex<double> {
            return std::pow(a, b);
          });
    default:
      break;
  }
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "pow", [&]<typename T>(T) {
      vec_kernel<T(T, T)>(iter, [](auto a, auto b) { return vec::pow(a, b); });
    });
    return;
  }
  for_integer(dtype, "pow", [&]<typename T>(T) {
    cpu_kernel(iter, [](T a, T b) -> T { return scalar_math::integer_power(a, b); });
  });
}

// Special exponents that need no logarithm.
enum class Power { Square, Cube, Root, InverseRoot, Inverse, InverseSquare, Any };

Power power_of(double exponent) {
  return exponent == 2   ? Power::Square
      : exponent == 3    ? Power::Cube
      : exponent == 0.5  ? Power::Root
      : exponent == -0.5 ? Power::InverseRoot
      : exponent == -1   ? Power::Inverse
      : exponent == -2   ? Power::InverseSquare
                         : Power::Any;
}

template <typename T>
void power_of_floats(TensorIteratorBase& iter, double exponent) {
  using L = vec::lane_type<T>;
  switch (power_of(exponent)) {
    case Power::Square:
      return vec_kernel<T(T)>(iter, [](auto x) { return x * x; });
    case Power::Cube:
      return vec_kernel<T(T)>(iter, [](auto x) { return x * x * x; });
    case Power::Root:
      return vec_kernel<T(T)>(iter, [](auto x) { return vec::sqrt(x); });
    case Power::InverseRoot:
      return vec_kernel<T(T)>(iter, [](auto x) { return L(1) / vec::sqrt(x); });
    case Power::Inverse:
      return vec_kernel<T(T)>(iter, [](auto x) { return L(1) / x; });
    case Power::InverseSquare:
      return vec_kernel<T(T)>(iter, [](auto x) { return L(1) / (x * x); });
    case Power::Any:
      const L y = static_cast<L>(exponent);
      return vec_kernel<T(T)>(
          iter, [y](auto x) { return vec::pow(x, vec::splat<decltype(x)>(y)); });
  }
}

template <typename T>
void power_of_complex(TensorIteratorBase& iter, const Scalar& exponent) {
  const c10::complex<T> y(exponent.to<c10::complex<double>>());
  if (y == c10::complex<T>(2)) {
    cpu_kernel(iter, [](c10::complex<T> z) -> c10::complex<T> { return z * z; });
  } else {
    cpu_kernel(iter, [y](c10::complex<T> z) -> c10::complex<T> { return std::pow(z, y); });
  }
}

void pow_tensor_scalar_kernel(TensorIteratorBase& iter, const Scalar& exponent) {
  const auto dtype = iter.common_dtype();
  if (dtype == kComplexFloat) {
    power_of_complex<float>(iter, exponent);
  } else if (dtype == kComplexDouble) {
    power_of_complex<double>(iter, exponent);
  } else if (c10::isFloatingType(dtype) || dtype == kComplexHalf) {
    for_floating(dtype, "pow", [&]<typename T>(T) {
      power_of_floats<T>(iter, static_cast<double>(exponent.to<T>()));
    });
  } else {
    const auto y = exponent.to<int64_t>();
    for_integer(dtype, "pow", [&]<typename T>(T) {
      if (y == 2) {
        vec_kernel<T(T)>(iter, [](auto x) { return x * x; });
      } else {
        cpu_kernel(iter, [y](T x) -> T {
          return static_cast<T>(scalar_math::integer_power<int64_t>(static_cast<int64_t>(x), y));
        });
      }
    });
  }
}

} // namespace

REGISTER_DISPATCH(pow_tensor_tensor_stub, &pow_tensor_tensor_kernel)
REGISTER_DISPATCH(pow_tensor_scalar_stub, &pow_tensor_scalar_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
