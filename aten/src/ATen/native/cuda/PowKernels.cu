// pow and xlogy.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/ScalarMath.h>
#include <ATen/native/TernaryOps.h>
#include <ATen/native/cuda/ComplexMath.cuh>
#include <ATen/native/cuda/Functors.cuh>

#include <cmath>
#include <type_traits>

namespace at::native {
namespace {

struct Pow {
  template <typename T>
  C10_HOST_DEVICE T operator()(T base, T exponent) const {
    if constexpr (std::is_integral_v<T>) {
      return scalar_math::integer_power(base, exponent);
    } else {
      return device_math::pow(base, exponent);
    }
  }
};
// Exponents that need no logarithm are common.
template <typename M>
struct PowBy {
  M exponent;
  C10_HOST_DEVICE M operator()(M x) const {
    if (exponent == M(2)) {
      return x * x;
    }
    if constexpr (!c10::is_complex<M>::value) {
      if (exponent == M(3)) return x * x * x;
      if (exponent == M(0.5)) return std::sqrt(x);
      if (exponent == M(-0.5)) return M(1) / std::sqrt(x);
      if (exponent == M(-1)) return M(1) / x;
      if (exponent == M(-2)) return M(1) / (x * x);
    }
    return device_math::pow(x, exponent);
  }
};
struct IntegerPowBy {
  int64_t exponent;
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return static_cast<T>(scalar_math::integer_power<int64_t>(static_cast<int64_t>(x), exponent));
  }
};
// x log(y): 0 where x is 0, unless y is NaN.
struct XLogY {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x, T y) const {
    return x == T(0) && y == y ? T(0) : x * std::log(y);
  }
};

void pow_tensor_tensor_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(kHalf, kBFloat16, iter.common_dtype(), "pow_cuda", [&] {
    gpu_binary<scalar_t>(iter, Pow());
  });
}
void pow_tensor_scalar_kernel_cuda(TensorIteratorBase& iter, const Scalar& exponent) {
  if (c10::isIntegralType(iter.common_dtype(), false)) {
    AT_DISPATCH_INTEGRAL_TYPES(iter.common_dtype(), "pow_cuda", [&] {
      gpu_unary<scalar_t>(iter, IntegerPowBy{exponent.to<int64_t>()});
    });
    return;
  }
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "pow_cuda", [&] {
        gpu_unary<scalar_t>(iter, PowBy<math_type<scalar_t>>{math_value<scalar_t>(exponent)});
      });
}
void xlogy_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), "xlogy_cuda", [&] {
    gpu_binary<scalar_t>(iter, XLogY());
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(pow_tensor_tensor_stub, &pow_tensor_tensor_kernel_cuda)
REGISTER_CUDA_DISPATCH(pow_tensor_scalar_stub, &pow_tensor_scalar_kernel_cuda)
REGISTER_CUDA_DISPATCH(xlogy_stub, &xlogy_kernel_cuda)

} // namespace at::native
