#pragma once

#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>
#include <c10/util/complex_math.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Real dtypes go through `real`, complex ones through `complex`, one element at a time.
template <typename Real, typename Complex>
void float_unary(
    TensorIteratorBase& iter, const char* name, const Real& real, const Complex& complex) {
  switch (iter.common_dtype()) {
    case kComplexFloat:
      return cpu_kernel(iter, [complex](c10::complex<float> value) -> c10::complex<float> {
        return complex(value);
      });
    case kComplexDouble:
      return cpu_kernel(iter, [complex](c10::complex<double> value) -> c10::complex<double> {
        return complex(value);
      });
    default:
      return for_floating(
          iter.common_dtype(), name, [&]<typename T>(T) { vec_kernel<T(T)>(iter, real); });
  }
}

template <typename Real, typename Complex>
void float_binary(
    TensorIteratorBase& iter, const char* name, const Real& real, const Complex& complex) {
  switch (iter.common_dtype()) {
    case kComplexFloat:
      return cpu_kernel(
          iter, [complex](c10::complex<float> a, c10::complex<float> b) -> c10::complex<float> {
            return complex(a, b);
          });
    case kComplexDouble:
      return cpu_kernel(
          iter, [complex](c10::complex<double> a, c10::complex<double> b) -> c10::complex<double> {
            return complex(a, b);
          });
    default:
      return for_floating(
          iter.common_dtype(), name, [&]<typename T>(T) { vec_kernel<T(T, T)>(iter, real); });
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
