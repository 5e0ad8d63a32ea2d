// atan2, fmod, shifts of integers, and nan_to_num.

#include <ATen/Dispatch.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ScalarMath.h>
#include <ATen/native/cuda/Functors.cuh>

#include <ATen/ops/atan2_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/fmod_native.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/nan_to_num_native.h>
#include <ATen/ops/view_as_real.h>

#include <cmath>
#include <limits>

namespace at::native {
namespace {

#define AT_FORMULA(Name, formula)                  \
  struct Name {                                    \
    template <typename T>                          \
    C10_HOST_DEVICE T operator()(T a, T b) const { \
      return formula;                              \
    }                                              \
  };
AT_FORMULA(Atan2, std::atan2(a, b))
AT_FORMULA(Fmod, std::fmod(a, b))
AT_FORMULA(IntegerFmod, b == 0 ? T(0) : scalar_math::truncated_remainder(a, b))
AT_FORMULA(ShiftLeft, (scalar_math::shifted<true, T>(a, b)))
AT_FORMULA(ShiftRight, (scalar_math::shifted<false, T>(a, b)))
#undef AT_FORMULA

template <typename Op>
void floating(TensorIteratorBase& iter, const char* name, const Op& op) {
  AT_DISPATCH_FLOATING_TYPES_AND2(
      kHalf, kBFloat16, iter.common_dtype(), name, [&] { gpu_binary<scalar_t>(iter, op); });
}

void left_shift_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_INTEGRAL_TYPES(
      iter.common_dtype(), "lshift_cuda", [&] { gpu_binary<scalar_t>(iter, ShiftLeft()); });
}
void right_shift_kernel_cuda(TensorIteratorBase& iter) {
  AT_DISPATCH_INTEGRAL_TYPES(
      iter.common_dtype(), "rshift_cuda", [&] { gpu_binary<scalar_t>(iter, ShiftRight()); });
}

} // namespace

TORCH_IMPL_FUNC(atan2_out_cuda)(const Tensor&, const Tensor&, const Tensor&) {
  floating(*this, "atan2_cuda", Atan2());
}

// A remainder by zero is an error on the CPU; a device cannot raise one, so it is 0 here.
TORCH_IMPL_FUNC(fmod_out_cuda)(const Tensor&, const Tensor&, const Tensor&) {
  if (c10::isIntegralType(common_dtype(), /*includeBool=*/false)) {
    AT_DISPATCH_INTEGRAL_TYPES(
        common_dtype(), "fmod_cuda", [&] { gpu_binary<scalar_t>(*this, IntegerFmod()); });
  } else {
    floating(*this, "fmod_cuda", Fmod());
  }
}

Tensor& nan_to_num_out_cuda(
    const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
    std::optional<double> neginf, Tensor& result) {
  TORCH_CHECK(
      self.scalar_type() == result.scalar_type(),
      "nan_to_num: dtype of out: ", result.scalar_type(),
      " should be same as input: ", self.scalar_type());
  if (self.is_complex()) {
    resize_output(result, self.sizes());
    Tensor parts = at::view_as_real(result);
    native::nan_to_num_out_cuda(at::view_as_real(self), nan, posinf, neginf, parts);
    return result;
  }
  TensorIterator iter;
  iter.build_unary_op(result, self);
  if (c10::isIntegralType(self.scalar_type(), /*includeBool=*/true)) {
    return at::methods::copy_(result, self);
  }
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "nan_to_num_cuda", [&] {
    using M = at::opmath_type<scalar_t>;
    const auto rounded = [](double number) {
      return static_cast<M>(static_cast<scalar_t>(number));
    };
    const scalar_math::Replacements<M> replace{
        rounded(nan.value_or(0)),
        posinf ? rounded(*posinf) : static_cast<M>(std::numeric_limits<scalar_t>::max()),
        neginf ? rounded(*neginf) : static_cast<M>(std::numeric_limits<scalar_t>::lowest())};
    gpu_unary<scalar_t>(iter, replace);
  });
  return result;
}

REGISTER_CUDA_DISPATCH(left_shift_stub, &left_shift_kernel_cuda)
REGISTER_CUDA_DISPATCH(right_shift_stub, &right_shift_kernel_cuda)

} // namespace at::native
