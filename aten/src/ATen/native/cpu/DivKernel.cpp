// Division: true, floored and truncated, and the remainder of floored division.

#include <ATen/cpu/vec/vec_round.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/ScalarMath.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/NumberLoops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void div_true_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (c10::isComplexType(dtype) && dtype != kComplexHalf) {
    for_complex(dtype, "div_cpu", [&]<typename T>(T) {
      cpu_kernel(iter, [](c10::complex<T> a, c10::complex<T> b) -> c10::complex<T> {
        return narrow<T>(widen(a) / widen(b));
      });
    });
    return;
  }
  for_floating(dtype, "div_cpu", [&]<typename T>(T) {
    vec_kernel_unrounded<T>(iter, [](auto a, auto b) { return a / b; });
  });
}

template <typename T>
C10_ALWAYS_INLINE void check_divisor(T b) {
  TORCH_CHECK(b != 0, "ZeroDivisionError");
}

void div_trunc_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (c10::isIntegralType(dtype, false)) {
    for_integer(dtype, "div_trunc_cpu", [&]<typename T>(T) {
      cpu_kernel(iter, [](T a, T b) -> T {
        check_divisor(b);
        return scalar_math::truncated_quotient(a, b);
      });
    });
    return;
  }
  for_floating(dtype, "div_trunc_cpu", [&]<typename T>(T) {
    vec_kernel_unrounded<T>(iter, [](auto a, auto b) { return vec::trunc(a / b); });
  });
}

void div_floor_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (c10::isIntegralType(dtype, false)) {
    for_integer(dtype, "div_floor_cpu", [&]<typename T>(T) {
      cpu_kernel(iter, [](T a, T b) -> T {
        check_divisor(b);
        return scalar_math::floored_quotient(a, b);
      });
    });
    return;
  }
  // Like Python's floor division of floats: based on the exact remainder, not on rounding the
  // rounded quotient.
  for_floating(dtype, "div_floor_cpu", [&]<typename T>(T) {
    vec_kernel_unrounded<T>(iter, [](auto a, auto b) {
      using V = decltype(a);
      using E = vec::element_of<V>;
      const V zero{};
      const V ratio = a / b;
      const V rest = vec::fmod(a, b);
      V quotient = (a - rest) / b;
      quotient = (rest != zero) & ((b < zero) != (rest < zero)) ? quotient - E(1) : quotient;
      V floored = vec::floor(quotient);
      floored = quotient - floored > E(0.5) ? floored + E(1) : floored;
      floored = quotient == zero ? vec::with_sign(zero, ratio) : floored;
      return b == zero ? ratio : floored;
    });
  });
}

void remainder_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (c10::isIntegralType(dtype, false)) {
    for_integer(dtype, "remainder_cpu", [&]<typename T>(T) {
      cpu_kernel(iter, [](T a, T b) -> T {
        check_divisor(b);
        return scalar_math::floored_remainder(a, b);
      });
    });
    return;
  }
  for_floating(dtype, "remainder_cpu", [&]<typename T>(T) {
    vec_kernel<T(T, T)>(iter, [](auto a, auto b) {
      using V = decltype(a);
      const V zero{};
      const V rest = vec::fmod(a, b);
      return (rest != zero) & ((b < zero) != (rest < zero)) ? rest + b : rest;
    });
  });
}

} // namespace

REGISTER_DISPATCH(div_true_stub, &div_true_kernel)
REGISTER_DISPATCH(div_trunc_stub, &div_trunc_kernel)
REGISTER_DISPATCH(div_floor_stub, &div_floor_kernel)
REGISTER_DISPATCH(remainder_stub, &remainder_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
