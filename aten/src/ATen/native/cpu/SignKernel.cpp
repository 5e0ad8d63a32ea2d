// abs, neg, sign and bitwise_not.

#include <ATen/native/Float8.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

#include <cmath>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

void abs_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (c10::isFloat8Type(dtype) && c10::isSignedType(dtype)) {
    return abs_float8(iter);
  }
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "abs_cpu", [&]<typename T>(T) {
      vec_kernel<T(T)>(iter, [](auto x) { return vec::abs(x); });
    });
    return;
  }
  for_integer(dtype, "abs_cpu", [&]<typename T>(T) {
    vec_kernel<T(T)>(iter, [](auto x) { return x < T(0) ? -x : x; });
  });
}

void abs_complex_kernel(TensorIteratorBase& iter) {
  for_complex(iter.dtype(1), "abs_cpu", [&]<typename T>(T) {
    cpu_kernel(iter, [](c10::complex<T> z) -> T {
      const auto wide = widen(z);
      return static_cast<T>(std::hypot(wide.real(), wide.imag()));
    });
  });
}

void neg_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  check_not_storage_dtype(dtype, "neg_cpu");
  if (c10::isComplexType(dtype)) {
    for_complex(dtype, "neg_cpu", [&]<typename T>(T) {
      cpu_kernel(iter, [](c10::complex<T> z) -> c10::complex<T> { return narrow<T>(-widen(z)); });
    });
  } else if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "neg_cpu", [&]<typename T>(T) {
      vec_kernel<T(T)>(iter, [](auto x) { return -x; });
    });
  } else {
    for_integer_width(
        dtype, [&]<typename T>(T) { vec_kernel<T(T)>(iter, [](auto x) { return -x; }); });
  }
}

void sign_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (dtype == kBool) {
    vec_kernel<bool(bool)>(iter, [](auto x) { return x; });
    return;
  }
  const auto run = [&]<typename T>(T) {
    using L = vec::lane_type<T>;
    // The sign of NaN is 0, because both comparisons are false.
    vec_kernel<T(T)>(iter, [](auto x) {
      const decltype(x) zero{};
      return x > zero ? zero + L(1) : (x < zero ? zero - L(1) : zero);
    });
  };
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, "sign_cpu", run);
  } else {
    for_integer(dtype, "sign_cpu", run);
  }
}

void bitwise_not_kernel(TensorIteratorBase& iter) {
  const auto dtype = iter.common_dtype();
  if (!c10::isIntegralType(dtype, true)) {
    at::detail::dispatch_unsupported("bitwise_not_cpu", dtype);
  }
  check_not_storage_dtype(dtype, "bitwise_not_cpu");
  if (dtype == kBool) {
    vec_kernel<bool(bool)>(iter, [](auto x) { return x ^ uint8_t(1); });
    return;
  }
  for_integer_width(
      dtype, [&]<typename T>(T) { vec_kernel<T(T)>(iter, [](auto x) { return ~x; }); });
}

} // namespace

REGISTER_DISPATCH(abs_stub, &abs_kernel)
REGISTER_DISPATCH(abs_complex_stub, &abs_complex_kernel)
REGISTER_DISPATCH(neg_stub, &neg_kernel)
REGISTER_DISPATCH(sign_stub, &sign_kernel)
REGISTER_DISPATCH(bitwise_not_stub, &bitwise_not_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
