// add, sub and mul.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/Float8.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/NumberLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void add_complex(TensorIteratorBase& iter, const Scalar& alpha) {
  for_complex(iter.common_dtype(), "add_stub", [&]<typename T>(T) {
    const auto factor = alpha.to<c10::complex<double>>();
    const complex_math<T> scale(
        static_cast<at::opmath_type<T>>(factor.real()),
        static_cast<at::opmath_type<T>>(factor.imag()));
    cpu_kernel(iter, [scale](c10::complex<T> a, c10::complex<T> b) -> c10::complex<T> {
      return narrow<T>(widen(a) + scale * widen(b));
    });
  });
}

void add_kernel(TensorIteratorBase& iter, const Scalar& alpha) {
  const auto dtype = iter.common_dtype();
  if (dtype == kBool) {
    const uint8_t keep = alpha.to<bool>() ? 1 : 0;
    vec_kernel<bool(bool, bool)>(iter, [keep](auto a, auto b) { return a | (b & keep); });
  } else if (c10::isComplexType(dtype)) {
    add_complex(iter, alpha);
  } else if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "add_stub", [&]<typename T>(T) {
      const auto scale = static_cast<vec::lane_type<T>>(alpha.to<T>());
      if constexpr (sizeof(T) == 2) {
        if (scale != 1 && scale != -1) {
          // Rounds a 16-bit product before adding it, as PyTorch does.
          vec_kernel<T(T, T)>(
              iter, [scale](auto a, auto b) { return a + vec::rounded_to<T>(b * scale); });
          return;
        }
      }
      vec_kernel<T(T, T)>(iter, [scale](auto a, auto b) { return a + b * scale; });
    });
  } else {
    check_not_storage_dtype(dtype, "add_stub");
    const int64_t factor = alpha.to<int64_t>();
    for_integer_width(dtype, [&]<typename T>(T) {
      if (factor == 1) {
        vec_kernel<T(T, T)>(iter, [](auto a, auto b) { return a + b; });
      } else if (factor == -1) {
        vec_kernel<T(T, T)>(iter, [](auto a, auto b) { return a - b; });
      } else {
        const T scale = static_cast<T>(factor);
        vec_kernel<T(T, T)>(iter, [scale](auto a, auto b) { return a + b * scale; });
      }
    });
  }
}

void sub_kernel(TensorIteratorBase& iter, const Scalar& alpha) {
  add_kernel(iter, alpha.isIntegral(true) ? Scalar(-alpha.to<int64_t>()) : -alpha);
}

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

REGISTER_DISPATCH(add_stub, &add_kernel)
REGISTER_DISPATCH(sub_stub, &sub_kernel)
REGISTER_DISPATCH(mul_stub, &mul_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
