// silu, mish, softplus, log_sigmoid, glu and the elu family.

#include <ATen/native/Activation.h>

#include <ATen/TensorIterator.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/celu_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/elu_backward_native.h>
#include <ATen/ops/elu_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/glu_backward_native.h>
#include <ATen/ops/glu_native.h>
#include <ATen/ops/log_sigmoid_backward_native.h>
#include <ATen/ops/log_sigmoid_forward.h>
#include <ATen/ops/log_sigmoid_forward_native.h>
#include <ATen/ops/log_sigmoid_native.h>
#include <ATen/ops/mish_backward_native.h>
#include <ATen/ops/mish_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/selu_native.h>
#include <ATen/ops/silu_backward_native.h>
#include <ATen/ops/silu_native.h>
#include <ATen/ops/softplus_backward_native.h>
#include <ATen/ops/softplus_native.h>

namespace at::meta {

TORCH_META_FUNC(silu)(const Tensor& self) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(silu_backward)(const Tensor& grad_output, const Tensor& self) {
  build_borrowing_binary_op(maybe_get_output(), grad_output, self);
}

TORCH_META_FUNC(mish)(const Tensor& self) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(elu)(const Tensor& self, const Scalar&, const Scalar&, const Scalar&) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(elu_backward)
(const Tensor& grad_output, const Scalar& alpha, const Scalar&, const Scalar&, bool is_result,
 const Tensor& self_or_result) {
  TORCH_CHECK(
      !is_result || alpha.to<double>() >= 0,
      "In-place elu backward calculation is triggered with a negative slope which is not "
      "supported. This is caused by calling in-place forward function with a negative slope, "
      "please call out-of-place version instead.");
  build_borrowing_binary_op(maybe_get_output(), grad_output, self_or_result);
}

TORCH_META_FUNC(softplus)(const Tensor& self, const Scalar&, const Scalar&) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(softplus_backward)
(const Tensor& grad_output, const Tensor& self, const Scalar&, const Scalar&) {
  build_borrowing_binary_op(maybe_get_output(), grad_output, self);
}

TORCH_META_FUNC(glu)(const Tensor& self, int64_t dim) {
  TORCH_CHECK(self.dim() > 0, "glu does not support 0-dimensional tensors");
  dim = maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(
      self.size(dim) % 2 == 0, "Halving dimension must be even, but dimension ", dim, " is size ",
      self.size(dim));
  const int64_t half = self.size(dim) / 2;
  build(TensorIteratorConfig()
            .add_output(maybe_get_output())
            .add_owned_const_input(at::narrow(self, dim, 0, half))
            .add_owned_const_input(at::narrow(self, dim, half, half)));
}

} // namespace at::meta

namespace at::native {

DEFINE_DISPATCH(silu_stub);
DEFINE_DISPATCH(silu_backward_stub);
DEFINE_DISPATCH(mish_stub);
DEFINE_DISPATCH(mish_backward_stub);
DEFINE_DISPATCH(elu_stub);
DEFINE_DISPATCH(elu_backward_stub);
DEFINE_DISPATCH(softplus_stub);
DEFINE_DISPATCH(softplus_backward_stub);
DEFINE_DISPATCH(log_sigmoid_stub);
DEFINE_DISPATCH(log_sigmoid_backward_stub);
DEFINE_DISPATCH(glu_stub);
DEFINE_DISPATCH(glu_backward_stub);

TORCH_IMPL_FUNC(silu_out)(const Tensor&, const Tensor&) {
  silu_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(silu_backward_out)(const Tensor&, const Tensor&, const Tensor&) {
  silu_backward_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(mish_out)(const Tensor&, const Tensor&) {
  mish_stub(device_type(), *this);
}

Tensor mish_backward(const Tensor& grad_output, const Tensor& self) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), grad_output, self);
  mish_backward_stub(iter.device_type(), iter);
  return Tensor(iter.take_output());
}

// ---- elu

TORCH_IMPL_FUNC(elu_out)
(const Tensor&, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale,
 const Tensor&) {
  elu_stub(device_type(), *this, alpha, scale, input_scale);
}

TORCH_IMPL_FUNC(elu_backward_out)
(const Tensor&, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale, bool is_result,
 const Tensor&, const Tensor&) {
  elu_backward_stub(device_type(), *this, alpha, scale, input_scale, is_result);
}

namespace {

// The constants that keep mean 0 and variance 1: Klambauer et al., arXiv:1706.02515.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

} // namespace

Tensor selu(const Tensor& self) {
  return at::elu(self, kSeluAlpha, kSeluScale);
}

Tensor& selu_(Tensor& self) {
  return at::elu_(self, kSeluAlpha, kSeluScale);
}

Tensor celu(const Tensor& self, const Scalar& alpha) {
  TORCH_CHECK(alpha.to<double>() != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return at::elu(self, alpha, Scalar(1.0), Scalar(1.0 / alpha.to<double>()));
}

Tensor& celu_(Tensor& self, const Scalar& alpha) {
  TORCH_CHECK(alpha.to<double>() != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return at::elu_(self, alpha, Scalar(1.0), Scalar(1.0 / alpha.to<double>()));
}

// ---- softplus, log_sigmoid

TORCH_IMPL_FUNC(softplus_out)
(const Tensor&, const Scalar& beta, const Scalar& threshold, const Tensor&) {
  softplus_stub(device_type(), *this, beta, threshold);
}

TORCH_IMPL_FUNC(softplus_backward_out)
(const Tensor&, const Tensor&, const Scalar& beta, const Scalar& threshold, const Tensor&) {
  softplus_backward_stub(device_type(), *this, beta, threshold);
}

// The buffer stores exp(-|x|) for the backward pass.
std::tuple<Tensor, Tensor> log_sigmoid_forward_cpu(const Tensor& self) {
  const Tensor input = self.contiguous();
  Tensor output = at::empty(self.sizes(), self.options());
  Tensor buffer = at::empty(self.sizes(), self.options());
  if (self.is_cpu()) {
    const bool known = log_sigmoid_stub(
        self.device().type(), input.scalar_type(), input.const_data_ptr(),
        output.mutable_data_ptr(), buffer.mutable_data_ptr(), input.numel());
    TORCH_CHECK_NOT_IMPLEMENTED(
        known, "\"log_sigmoid_cpu\" not implemented for '", input.scalar_type(), "'");
  }
  return {output, buffer};
}

std::tuple<Tensor&, Tensor&> log_sigmoid_forward_out_cpu(
    const Tensor& self, Tensor& output, Tensor& buffer) {
  TORCH_CHECK(
      output.scalar_type() == self.scalar_type(), "expected scalar type ", self.scalar_type(),
      " but found ", output.scalar_type());
  const auto [result, exponentials] = log_sigmoid_forward_cpu(self);
  resize_output(output, self.sizes());
  resize_output(buffer, self.sizes());
  at::methods::copy_(output, result);
  at::methods::copy_(buffer, exponentials);
  return {output, buffer};
}

Tensor log_sigmoid(const Tensor& self) {
  return std::get<0>(at::log_sigmoid_forward(self));
}

Tensor& log_sigmoid_out(const Tensor& self, Tensor& output) {
  Tensor buffer = at::empty({0}, self.options());
  return std::get<0>(at::log_sigmoid_forward_out(output, buffer, self));
}

Tensor& log_sigmoid_backward_out(
    const Tensor& grad_output, const Tensor& self, const Tensor& buffer, Tensor& grad_input) {
  auto iter = TensorIteratorConfig()
                  .add_output(grad_input)
                  .add_const_input(grad_output)
                  .add_const_input(self)
                  .add_const_input(buffer)
                  .build();
  log_sigmoid_backward_stub(iter.device_type(), iter);
  return grad_input;
}

Tensor log_sigmoid_backward(const Tensor& grad_output, const Tensor& self, const Tensor& buffer) {
  Tensor grad_input = at::empty_like(grad_output);
  return log_sigmoid_backward_out(grad_output, self, buffer, grad_input);
}

// ---- glu

TORCH_IMPL_FUNC(glu_out)(const Tensor&, int64_t, const Tensor&) {
  glu_stub(device_type(), *this);
}

Tensor& glu_backward_out(
    const Tensor& grad_output, const Tensor& self, int64_t dim, Tensor& grad_input) {
  TORCH_CHECK(self.dim() > 0, "glu does not support 0-dimensional tensors");
  dim = maybe_wrap_dim(dim, self.dim());
  TORCH_CHECK(
      self.size(dim) % 2 == 0, "Halving dimension must be even, but dimension ", dim, " is size ",
      self.size(dim));
  TORCH_CHECK(
      !c10::isIntegralType(self.scalar_type(), /*includeBool=*/true),
      "result type Float can't be cast to the desired output type ", self.scalar_type());
  const int64_t half = self.size(dim) / 2;
  resize_output(grad_input, self.sizes());
  const Tensor a = at::narrow(self, dim, 0, half), b = at::narrow(self, dim, half, half);
  const Tensor grad_a = at::narrow(grad_input, dim, 0, half);
  const Tensor grad_b = at::narrow(grad_input, dim, half, half);
  auto iter = TensorIteratorConfig()
                  .add_output(grad_a)
                  .add_output(grad_b)
                  .add_const_input(grad_output)
                  .add_const_input(a)
                  .add_const_input(b)
                  .build();
  glu_backward_stub(iter.device_type(), iter);
  return grad_input;
}

Tensor glu_backward(const Tensor& grad_output, const Tensor& self, int64_t dim) {
  Tensor grad_input = at::empty(self.sizes(), self.options());
  return glu_backward_out(grad_output, self, dim, grad_input);
}

} // namespace at::native
