// angle of real numbers, and frexp.

#include <ATen/Dispatch.h>
#include <ATen/native/NumberParts.h>
#include <ATen/native/cuda/Functors.cuh>

namespace at::native {
namespace {

struct Angle {
  template <typename T>
  C10_HOST_DEVICE T operator()(T x) const {
    return angle_of_real(x);
  }
};

template <typename T>
struct Frexp {
  C10_HOST_DEVICE Outputs<T, int32_t> operator()(T x) const {
    const auto parts = mantissa_and_exponent(static_cast<at::opmath_type<T>>(x));
    return {static_cast<T>(parts.mantissa), static_cast<int32_t>(parts.exponent)};
  }
};

void angle_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, iter.common_dtype(), "angle_cuda", [&] {
    gpu_unary<scalar_t>(iter, Angle());
  });
}

void frexp_kernel_cuda(
    const TensorBase& self, const TensorBase& mantissa, const TensorBase& exponent) {
  auto iter = TensorIteratorConfig()
                  .check_all_same_dtype(false)
                  .add_output(mantissa)
                  .add_output(exponent)
                  .add_const_input(self)
                  .build();
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "frexp_cuda", [&] {
    gpu_kernel_multiple_outputs(iter, Frexp<scalar_t>());
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(angle_stub, &angle_kernel_cuda)
REGISTER_CUDA_DISPATCH(frexp_stub, &frexp_kernel_cuda)

} // namespace at::native
