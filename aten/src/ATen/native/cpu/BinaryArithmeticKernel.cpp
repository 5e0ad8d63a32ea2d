// mul: numbers beside 16-bit floats are not rounded, and 8-bit floats have a loop of their own.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/Float8.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/NumberLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void mul_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (dtype == kBool) {
    vec_kernel<bool(bool, bool)>(iter, [](auto a, auto b) { return a & b; });
  } else if (c10::isComplexType(dtype)) {
    for_complex(dtype, "mul_cpu", [&]<typename T>(T) {
      cpu_kernel(iter, [](c10::complex<T> a, c10::complex<T> b) -> c10::complex<T> {
        return narrow<T>(widen(a) * widen(b));
      });
    });
  } else if (c10::isFloat8Type(dtype)) {
    mul_float8(iter);
  } else if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "mul_cpu", [&]<typename T>(T) {
      vec_kernel_unrounded<T>(iter, [](auto a, auto b) { return a * b; });
    });
  } else if (c10::isOpaqueType(dtype)) {
    at::detail::dispatch_unsupported("mul_cpu", dtype);
  } else {
    for_integer_width(dtype, [&]<typename T>(T) {
      vec_kernel<T(T, T)>(iter, [](auto a, auto b) { return a * b; });
    });
  }
}

} // namespace

REGISTER_DISPATCH(mul_stub, &mul_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
