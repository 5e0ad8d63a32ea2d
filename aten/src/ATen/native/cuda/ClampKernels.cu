// where and clamp.

#include <ATen/native/TernaryOps.h>
#include <ATen/native/cuda/Functors.cuh>

#include <limits>

namespace at::native {
namespace {

template <typename T>
struct Where {
  C10_HOST_DEVICE T operator()(bool condition, T a, T b) const { return condition ? a : b; }
};

void where_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(
      kHalf, kBFloat16, kBool, kComplexHalf, iter.dtype(0), "where_cuda",
      [&] { gpu_kernel(iter, Where<scalar_t>()); });
}

// ---- clamp: if any argument is NaN, the result is NaN

struct Clamp {
  template <typename T>
  C10_HOST_DEVICE T operator()(T a, T low, T high) const {
    a = a < low ? low : a;
    a = low == low ? a : low;
    a = high < a ? high : a;
    return high == high ? a : high;
  }
};
// An infinite bound leaves its side open.
template <typename M>
struct ClampBetween {
  M low, high;
  C10_HOST_DEVICE M operator()(M a) const {
    a = a < low ? low : a;
    return high < a ? high : a;
  }
};
template <typename M>
M lowest() {
  using Limits = std::numeric_limits<M>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}
template <typename M>
M highest() {
  using Limits = std::numeric_limits<M>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

void clamp_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), "clamp_cuda", [&] {
    gpu_ternary<scalar_t>(iter, Clamp());
  });
}
void clamp_between(
    TensorIteratorBase& iter, const char* name, const Scalar* low, const Scalar* high) {
  AT_DISPATCH_ALL_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), name, [&] {
    using M = math_type<scalar_t>;
    gpu_unary<scalar_t>(
        iter,
        ClampBetween<M>{
            low != nullptr ? static_cast<M>(low->to<scalar_t>()) : lowest<M>(),
            high != nullptr ? static_cast<M>(high->to<scalar_t>()) : highest<M>()});
  });
}
void clamp_scalar_kernel_cuda(TensorIteratorBase& iter, const Scalar& low, const Scalar& high) {
  clamp_between(iter, "clamp_scalar_cuda", &low, &high);
}
void clamp_min_scalar_kernel_cuda(TensorIteratorBase& iter, const Scalar& low) {
  clamp_between(iter, "clamp_min_scalar_cuda", &low, nullptr);
}
void clamp_max_scalar_kernel_cuda(TensorIteratorBase& iter, const Scalar& high) {
  clamp_between(iter, "clamp_max_scalar_cuda", nullptr, &high);
}

} // namespace

REGISTER_CUDA_DISPATCH(where_stub, &where_kernel_cuda)
REGISTER_CUDA_DISPATCH(clamp_stub, &clamp_kernel_cuda)
REGISTER_CUDA_DISPATCH(clamp_scalar_stub, &clamp_scalar_kernel_cuda)
REGISTER_CUDA_DISPATCH(clamp_min_scalar_stub, &clamp_min_scalar_kernel_cuda)
REGISTER_CUDA_DISPATCH(clamp_max_scalar_stub, &clamp_max_scalar_kernel_cuda)

} // namespace at::native
