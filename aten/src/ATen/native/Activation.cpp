// threshold, hardshrink, prelu, and the gradients of sigmoid, tanh and gelu.

#include <ATen/native/Activation.h>

#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_prelu_kernel.h>
#include <ATen/ops/_prelu_kernel_backward_native.h>
#include <ATen/ops/_prelu_kernel_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu_backward_native.h>
#include <ATen/ops/hardshrink_backward_native.h>
#include <ATen/ops/hardshrink_native.h>
#include <ATen/ops/prelu_native.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sigmoid_backward_native.h>
#include <ATen/ops/tanh_backward_native.h>
#include <ATen/ops/threshold_backward_native.h>
#include <ATen/ops/threshold_native.h>

namespace at::meta {

TORCH_META_FUNC(threshold)(const Tensor& self, const Scalar&, const Scalar&) {
  // Writing an element several times gives the same result.
  build(TensorIteratorConfig()
            .set_check_mem_overlap(false)
            .add_output(maybe_get_output())
            .add_const_input(self)
            .promote_inputs_to_common_dtype(true)
            .cast_common_dtype_to_outputs(true)
            .enforce_safe_casting_to_output(true));
}

TORCH_META_FUNC(threshold_backward)(const Tensor& grad_output, const Tensor& self, const Scalar&) {
  build_borrowing_binary_op(maybe_get_output(), self, grad_output);
}

TORCH_META_FUNC(sigmoid_backward)(const Tensor& grad_output, const Tensor& output) {
  build_borrowing_binary_op(maybe_get_output(), grad_output, output);
}

TORCH_META_FUNC(tanh_backward)(const Tensor& grad_output, const Tensor& output) {
  build_borrowing_binary_op(maybe_get_output(), grad_output, output);
}

TORCH_META_FUNC(gelu_backward)(const Tensor& grad_output, const Tensor& self, c10::string_view) {
  build_borrowing_binary_op(maybe_get_output(), grad_output, self);
}

TORCH_META_FUNC(hardshrink)(const Tensor& self, const Scalar&) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(hardshrink_backward)(const Tensor& grad_out, const Tensor& self, const Scalar&) {
  build_borrowing_binary_op(maybe_get_output(), grad_out, self);
}

} // namespace at::meta

namespace at::native {

DEFINE_DISPATCH(threshold_stub);
DEFINE_DISPATCH(threshold_backward_stub);
DEFINE_DISPATCH(sigmoid_backward_stub);
DEFINE_DISPATCH(tanh_backward_stub);
DEFINE_DISPATCH(gelu_backward_stub);
DEFINE_DISPATCH(hardshrink_stub);
DEFINE_DISPATCH(shrink_backward_stub);
DEFINE_DISPATCH(prelu_stub);
DEFINE_DISPATCH(prelu_backward_stub);

TORCH_IMPL_FUNC(threshold_out)
(const Tensor&, const Scalar& threshold, const Scalar& value, const Tensor&) {
  threshold_stub(device_type(), *this, threshold, value);
}

TORCH_IMPL_FUNC(threshold_backward_out)
(const Tensor&, const Tensor&, const Scalar& threshold, const Tensor&) {
  threshold_backward_stub(device_type(), *this, threshold);
}

TORCH_IMPL_FUNC(sigmoid_backward_out)(const Tensor&, const Tensor&, const Tensor&) {
  sigmoid_backward_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(tanh_backward_out)(const Tensor&, const Tensor&, const Tensor&) {
  tanh_backward_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(gelu_backward_out_cpu)
(const Tensor&, const Tensor&, c10::string_view approximate, const Tensor&) {
  TORCH_CHECK(
      approximate == "none" || approximate == "tanh",
      "approximate argument must be either none or tanh.");
  gelu_backward_stub(device_type(), *this, approximate == "tanh");
}

TORCH_IMPL_FUNC(hardshrink_out)(const Tensor&, const Scalar& lambd, const Tensor&) {
  hardshrink_stub(device_type(), *this, lambd);
}

TORCH_IMPL_FUNC(hardshrink_backward_out)
(const Tensor&, const Tensor&, const Scalar& lambd, const Tensor&) {
  shrink_backward_stub(device_type(), *this, lambd);
}

// ---- prelu -------------------------------------------------------------------------------------

// The weight is one number, or one per channel (dimension 1).
Tensor prelu(const Tensor& self, const Tensor& weight) {
  TORCH_CHECK(
      self.scalar_type() == weight.scalar_type(), "prelu: Type promoting not supported. Got ",
      self.scalar_type(), " and ", weight.scalar_type());
  if (weight.numel() != 1) {
    TORCH_CHECK(self.dim() > 0, "Not allow zero-dim input tensor.");
    const int64_t channels = self.dim() > 1 ? self.size(1) : 1;
    TORCH_CHECK(
        channels == weight.numel(),
        "Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
        weight.numel(), " and channel size = ", channels, ".");
  }
  TORCH_CHECK(
      weight.dim() <= 1,
      "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", weight.dim());
  if (weight.numel() == 1 && weight.dim() == self.dim()) {
    return at::_prelu_kernel(self, weight);
  }
  DimVector shape(self.dim(), 1);
  if (self.dim() > 1) {
    shape[1] = weight.numel();
  }
  return at::_prelu_kernel(self, at::reshape(weight, shape));
}

Tensor _prelu_kernel(const Tensor& self, const Tensor& weight) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, weight);
  prelu_stub(iter.device_type(), iter);
  return Tensor(iter.take_output());
}

// Returns the gradients of the input and of the weight; the latter is not yet summed over the
// broadcast.
std::tuple<Tensor, Tensor> _prelu_kernel_backward(
    const Tensor& grad_output, const Tensor& self, const Tensor& weight) {
  const Tensor grad_self = at::empty({0}, self.options());
  const Tensor grad_weight = at::empty({0}, weight.options());
  auto iter = TensorIteratorConfig()
                  .add_output(grad_self)
                  .add_output(grad_weight)
                  .add_const_input(self)
                  .add_const_input(weight)
                  .add_const_input(grad_output)
                  .build();
  prelu_backward_stub(iter.device_type(), iter);
  return {grad_self, grad_weight};
}

} // namespace at::native
