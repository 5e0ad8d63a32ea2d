// Piecewise linear activations: leaky_relu, hardtanh, relu6, hardsigmoid, hardswish and softshrink.

#include <ATen/native/Activation.h>

#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/TernaryOps.h>
#include <ATen/ops/hardsigmoid_backward_native.h>
#include <ATen/ops/hardsigmoid_native.h>
#include <ATen/ops/hardswish_backward_native.h>
#include <ATen/ops/hardswish_native.h>
#include <ATen/ops/hardtanh.h>
#include <ATen/ops/hardtanh_backward_native.h>
#include <ATen/ops/hardtanh_native.h>
#include <ATen/ops/leaky_relu_backward_native.h>
#include <ATen/ops/leaky_relu_native.h>
#include <ATen/ops/relu6_native.h>
#include <ATen/ops/softshrink_backward_native.h>
#include <ATen/ops/softshrink_native.h>

#include <limits>

namespace at::meta {

TORCH_META_FUNC(leaky_relu)(const Tensor& self, const Scalar&) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(leaky_relu_backward)
(const Tensor& grad_output, const Tensor& self, const Scalar& negative_slope, bool self_is_result) {
  TORCH_CHECK(
      !self_is_result || negative_slope.to<double>() >= 0,
      "In-place leakyReLu backward calculation is triggered with a negative slope which is not "
      "supported. This is caused by calling in-place forward function with a negative slope, "
      "please call out-of-place version instead.");
  build_borrowing_binary_op(maybe_get_output(), self, grad_output);
}

TORCH_META_FUNC(hardsigmoid)(const Tensor& self) {
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(hardsigmoid_backward)(const Tensor& grad_output, const Tensor& self) {
  build_borrowing_binary_op(maybe_get_output(), grad_output, self);
}

TORCH_META_FUNC(softshrink)(const Tensor& self, const Scalar& lambd) {
  const auto check = [&]<typename T>(T largest) {
    TORCH_CHECK(
        lambd.to<double>() >= 0 && lambd.to<double>() <= static_cast<double>(largest),
        "lambda must be in range [0, ", largest, "] for input dtype ", self.scalar_type(),
        ", but found ", lambd.to<double>());
  };
  switch (self.scalar_type()) {
    case kFloat:
      check(std::numeric_limits<float>::max());
      break;
    case kDouble:
      check(std::numeric_limits<double>::max());
      break;
    case kHalf:
      check(65504.0f);
      break;
    case kBFloat16:
      check(3.38953e+38f);
      break;
    default:
      break; // refused by the kernel
  }
  build_borrowing_unary_op(maybe_get_output(), self);
}

TORCH_META_FUNC(softshrink_backward)(const Tensor& grad_output, const Tensor& self, const Scalar&) {
  build_borrowing_binary_op(maybe_get_output(), grad_output, self);
}

} // namespace at::meta

namespace at::native {

DEFINE_DISPATCH(leaky_relu_stub);
DEFINE_DISPATCH(leaky_relu_backward_stub);
DEFINE_DISPATCH(hardtanh_backward_stub);
DEFINE_DISPATCH(hardsigmoid_stub);
DEFINE_DISPATCH(hardsigmoid_backward_stub);
DEFINE_DISPATCH(hardswish_stub);
DEFINE_DISPATCH(hardswish_backward_stub);
DEFINE_DISPATCH(softshrink_stub);

TORCH_IMPL_FUNC(leaky_relu_out)(const Tensor&, const Scalar& negative_slope, const Tensor&) {
  leaky_relu_stub(device_type(), *this, negative_slope);
}

// The result has the sign of the input, so either can be passed.
TORCH_IMPL_FUNC(leaky_relu_backward_out)
(const Tensor&, const Tensor&, const Scalar& negative_slope, bool, const Tensor&) {
  leaky_relu_backward_stub(device_type(), *this, negative_slope);
}

TORCH_IMPL_FUNC(hardsigmoid_out)(const Tensor&, const Tensor&) {
  hardsigmoid_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(hardsigmoid_backward_out)(const Tensor&, const Tensor&, const Tensor&) {
  hardsigmoid_backward_stub(device_type(), *this);
}

TORCH_IMPL_FUNC(softshrink_out)(const Tensor&, const Scalar& lambd, const Tensor&) {
  softshrink_stub(device_type(), *this, lambd);
}

TORCH_IMPL_FUNC(softshrink_backward_out)
(const Tensor&, const Tensor&, const Scalar& lambd, const Tensor&) {
  shrink_backward_stub(device_type(), *this, lambd);
}

// ---- hardtanh, relu6

namespace {

void check_hardtanh(const Tensor& self, const Scalar& min, const Scalar& max) {
  TORCH_CHECK(self.scalar_type() != kBool, "Bool inputs not supported for hardtanh");
  TORCH_CHECK(
      self.scalar_type() != kByte || (min.toDouble() >= 0 && max.toDouble() >= 0),
      "cannot do hardtanh on an unsigned type with negative limits");
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), "clamp is not supported for complex types");
}

} // namespace

Tensor& hardtanh_out(const Tensor& self, const Scalar& min, const Scalar& max, Tensor& result) {
  check_hardtanh(self, min, max);
  TensorIterator iter;
  iter.build_unary_op(result, self);
  clamp_scalar_stub(iter.device_type(), iter, min, max);
  return result;
}

Tensor hardtanh(const Tensor& self, const Scalar& min, const Scalar& max) {
  check_hardtanh(self, min, max);
  TensorIterator iter;
  iter.build_unary_op(TensorBase(), self);
  clamp_scalar_stub(iter.device_type(), iter, min, max);
  return Tensor(iter.take_output());
}

Tensor& hardtanh_(Tensor& self, const Scalar& min, const Scalar& max) {
  return at::native::hardtanh_out(self, min, max, self);
}

Tensor& hardtanh_backward_out(
    const Tensor& grad_output, const Tensor& self, const Scalar& min, const Scalar& max,
    Tensor& grad_input) {
  TensorIterator iter;
  iter.build_binary_op(grad_input, grad_output, self);
  hardtanh_backward_stub(iter.device_type(), iter, min, max);
  return grad_input;
}

Tensor hardtanh_backward(
    const Tensor& grad_output, const Tensor& self, const Scalar& min, const Scalar& max) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), grad_output, self);
  hardtanh_backward_stub(iter.device_type(), iter, min, max);
  return Tensor(iter.take_output());
}

Tensor relu6(const Tensor& self) {
  return at::hardtanh(self, 0, 6);
}

Tensor& relu6_(Tensor& self) {
  return at::hardtanh_(self, 0, 6);
}

// ---- hardswish

Tensor hardswish(const Tensor& self) {
  TensorIterator iter;
  iter.build_unary_op(TensorBase(), self);
  hardswish_stub(iter.device_type(), iter);
  return Tensor(iter.take_output());
}

Tensor& hardswish_out(const Tensor& self, Tensor& result) {
  TensorIterator iter;
  iter.build_unary_op(result, self);
  hardswish_stub(iter.device_type(), iter);
  return result;
}

Tensor& hardswish_(Tensor& self) {
  return at::native::hardswish_out(self, self);
}

Tensor hardswish_backward(const Tensor& grad_output, const Tensor& self) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), grad_output, self);
  hardswish_backward_stub(iter.device_type(), iter);
  return Tensor(iter.take_output());
}

} // namespace at::native
