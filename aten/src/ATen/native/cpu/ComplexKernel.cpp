// sgn and conj of complex numbers.

#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <cmath>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// z / |z|, and 0 for z = 0.
void sgn_kernel(TensorIteratorBase& iter) {
  for_complex(iter.common_dtype(), "sgn_cpu", [&]<typename T>(T) {
    cpu_kernel(iter, [](c10::complex<T> z) -> c10::complex<T> {
      const auto wide = widen(z);
      const auto size = std::hypot(wide.real(), wide.imag());
      return size == 0 ? c10::complex<T>() : narrow<T>(wide / size);
    });
  });
}

void conj_kernel(TensorIteratorBase& iter) {
  for_complex(iter.common_dtype(), "conj_cpu", [&]<typename T>(T) {
    cpu_kernel(iter, [](c10::complex<T> z) -> c10::complex<T> {
      return c10::complex<T>(z.real(), -z.imag());
    });
  });
}

} // namespace

REGISTER_DISPATCH(sgn_complex_stub, &sgn_kernel)
REGISTER_DISPATCH(conj_complex_stub, &conj_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
