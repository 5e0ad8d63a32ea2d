// addcmul, addcdiv and lerp.

#include <ATen/native/TernaryOps.h>
#include <ATen/native/cuda/LongFormulas.cuh>

#include <cmath>
#include <type_traits>

namespace at::native {
namespace {

template <typename M>
struct AddProduct {
  M value;
  C10_HOST_DEVICE M operator()(M self, M a, M b) const { return self + value * a * b; }
};
template <typename M>
struct AddQuotient {
  M value;
  C10_HOST_DEVICE M operator()(M self, M a, M b) const { return self + value * a / b; }
};
// Starts from the nearer end, so that a weight of 1 gives exactly `end`.
template <typename T>
C10_HOST_DEVICE T lerp(T self, T end, T weight) {
  bool near;
  if constexpr (c10::is_complex<T>::value) {
    near = weight.real() * weight.real() + weight.imag() * weight.imag() < 0.25f;
  } else {
    near = std::abs(weight) < T(0.5);
  }
  const T difference = end - self;
  return near ? self + weight * difference : end - difference * (T(1) - weight);
}
struct Lerp {
  template <typename T>
  C10_HOST_DEVICE T operator()(T self, T end, T weight) const {
    return lerp(self, end, weight);
  }
};
template <typename M>
struct LerpBy {
  M weight;
  C10_HOST_DEVICE M operator()(M self, M end) const { return lerp(self, end, weight); }
};

void addcmul_kernel_cuda(TensorIteratorBase& iter, const Scalar& value) {
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      kHalf, kBFloat16, kComplexHalf, iter.common_dtype(), "addcmul_cuda", [&] {
        gpu_ternary<scalar_t>(iter, AddProduct<math_type<scalar_t>>{math_value<scalar_t>(value)});
      });
}
void addcdiv_kernel_cuda(TensorIteratorBase& iter, const Scalar& value) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "addcdiv_cuda", [&] {
        const AddQuotient<math_type<scalar_t>> formula{math_value<scalar_t>(value)};
        if constexpr (std::is_same_v<scalar_t, c10::complex<double>>) {
          gpu_long_ternary<scalar_t>(iter, formula); // quotients need many registers
        } else {
          gpu_ternary<scalar_t>(iter, formula);
        }
      });
}
void lerp_tensor_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "lerp_cuda",
      [&] { gpu_ternary<scalar_t>(iter, Lerp()); });
}
void lerp_scalar_kernel_cuda(TensorIteratorBase& iter, const Scalar& weight) {
  AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), "lerp_cuda", [&] {
        gpu_binary<scalar_t>(iter, LerpBy<math_type<scalar_t>>{math_value<scalar_t>(weight)});
      });
}

} // namespace

REGISTER_CUDA_DISPATCH(addcmul_stub, &addcmul_kernel_cuda)
REGISTER_CUDA_DISPATCH(addcdiv_stub, &addcdiv_kernel_cuda)
REGISTER_CUDA_DISPATCH(lerp_tensor_stub, &lerp_tensor_kernel_cuda)
REGISTER_CUDA_DISPATCH(lerp_scalar_stub, &lerp_scalar_kernel_cuda)

} // namespace at::native
