// mul, and division: true and truncated.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/ScalarMath.h>
#include <ATen/native/cuda/Functors.cuh>

#include <cmath>

namespace at::native {
namespace {

struct Mul {
  template <typename T>
  C10_HOST_DEVICE T operator()(T a, T b) const {
    return a * b;
  }
  C10_HOST_DEVICE bool operator()(bool a, bool b) const { return a && b; }
};

void mul_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(
      kBool, kHalf, kBFloat16, kComplexHalf, iter.common_dtype(), "mul_cuda",
      [&] { gpu_binary_unrounded<scalar_t>(iter, Mul()); });
}

// ---- division

struct TrueQuotient {
  template <typename T>
  C10_HOST_DEVICE T operator()(T a, T b) const {
    return a / b;
  }
};
struct TruncatedQuotient {
  template <typename T>
  C10_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return b == 0 ? T(0) : scalar_math::truncated_quotient(a, b);
    } else {
      return std::trunc(a / b);
    }
  }
};

void div_true_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "div_cuda",
      [&] { gpu_binary_unrounded<scalar_t>(iter, TrueQuotient()); });
}
void div_trunc_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), "div_trunc_cuda", [&] {
    gpu_binary_unrounded<scalar_t>(iter, TruncatedQuotient());
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(mul_stub, &mul_kernel_cuda)
REGISTER_CUDA_DISPATCH(div_true_stub, &div_true_kernel_cuda)
REGISTER_CUDA_DISPATCH(div_trunc_stub, &div_trunc_kernel_cuda)

} // namespace at::native
