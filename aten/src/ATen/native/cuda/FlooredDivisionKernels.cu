// Floored division and its remainder.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/ScalarMath.h>
#include <ATen/native/cuda/Functors.cuh>

#include <cmath>

namespace at::native {
namespace {

// Like Python's floor division of floats: based on the exact remainder, not on rounding the rounded
// quotient.
struct FlooredQuotient {
  template <typename T>
  C10_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return b == 0 ? T(0) : scalar_math::floored_quotient(a, b);
    } else {
      if (b == 0) {
        return a / b;
      }
      const T rest = std::fmod(a, b);
      T quotient = (a - rest) / b;
      if (rest != 0 && (b < 0) != (rest < 0)) {
        quotient -= T(1);
      }
      if (quotient == 0) {
        return std::copysign(T(0), a / b);
      }
      const T floored = std::floor(quotient);
      return quotient - floored > T(0.5) ? floored + T(1) : floored;
    }
  }
};
struct Remainder {
  template <typename T>
  C10_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return b == 0 ? T(0) : scalar_math::floored_remainder(a, b);
    } else {
      const T rest = std::fmod(a, b);
      return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
    }
  }
};

void div_floor_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), "div_floor_cuda", [&] {
    gpu_binary_unrounded<scalar_t>(iter, FlooredQuotient());
  });
}
void remainder_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), "remainder_cuda", [&] {
    gpu_binary<scalar_t>(iter, Remainder());
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(div_floor_stub, &div_floor_kernel_cuda)
REGISTER_CUDA_DISPATCH(remainder_stub, &remainder_kernel_cuda)

} // namespace at::native
