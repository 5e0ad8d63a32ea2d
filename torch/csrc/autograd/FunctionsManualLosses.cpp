#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>

namespace torch::autograd::generated::details {

// ---- activations

// silu = x s with s' = s (1 - s): silu'' = s' (2 + x (1 - 2 s)).
Tensor silu_curvature(const Tensor& grad_output, const Tensor& self) {
  const Tensor s = at::sigmoid(self);
  return grad_output * s * (1 - s) * (2 + self * (1 - 2 * s));
}

// mish = x t with t = tanh(u) and u' = s: t' = (1 - t^2) s and t'' = (1 - t^2) (s (1 - s) - 2 t
// s^2).
Tensor mish_curvature(const Tensor& grad_output, const Tensor& self) {
  const Tensor s = at::sigmoid(self);
  const Tensor t = at::tanh(at::log1p(at::exp(self)));
  const Tensor rise = 1 - t * t;
  return grad_output * rise * s * (2 + self * (1 - s - 2 * t * s));
}

// Below 0 the slope is input_scale alpha scale e^(input_scale x), or input_scale (y + alpha scale).
Tensor elu_double_backward(
    const Tensor& grad, const Tensor& grad_output, const Scalar& alpha, const Scalar& scale,
    const Scalar& input_scale, bool is_result, const Tensor& self_or_result) {
  const double in = input_scale.toDouble();
  Tensor change;
  if (is_result) {
    change = grad * grad_output * in;
  } else {
    const double below = in * in * alpha.toDouble() * scale.toDouble();
    change = grad * grad_output * at::exp(self_or_result * in) * below;
  }
  return at::where(self_or_result <= 0, change, 0);
}

Tensor softplus_double_backward(
    const Tensor& grad, const Tensor& self, const Scalar& beta, const Scalar& threshold) {
  const Tensor scaled = self * beta;
  const Tensor s = at::sigmoid(scaled);
  return at::where(scaled > threshold, 0, grad * s * (1 - s) * beta);
}

namespace {

std::pair<Tensor, Tensor> halves(const Tensor& tensor, int64_t dim) {
  const int64_t half = tensor.size(dim) / 2;
  return {at::narrow(tensor, dim, 0, half), at::narrow(tensor, dim, half, half)};
}

} // namespace

// With halves a and b and s = logistic(b), the gradients are g s and g a s (1 - s).
Tensor glu_double_backward_grad_output(const Tensor& grad, const Tensor& self, int64_t dim) {
  const auto [a, b] = halves(self, dim);
  const auto [grad_a, grad_b] = halves(grad, dim);
  const Tensor s = at::sigmoid(b);
  return s * (grad_a + grad_b * a * (1 - s));
}

Tensor glu_double_backward(
    const Tensor& grad, const Tensor& grad_output, const Tensor& self, int64_t dim) {
  const auto [a, b] = halves(self, dim);
  const auto [grad_a, grad_b] = halves(grad, dim);
  const Tensor s = at::sigmoid(b);
  const Tensor slope = grad_output * s * (1 - s);
  return at::cat({grad_b * slope, slope * (grad_a + grad_b * a * (1 - 2 * s))}, dim);
}

// ---- losses

Tensor reduced_slope(const Tensor& slope, const Tensor& input, int64_t reduction) {
  return reduction == at::Reduction::Mean ? slope / input.numel() : slope;
}

namespace {

Tensor weighted_slope(
    const Tensor& slope, const Tensor& weight, const Tensor& input, int64_t reduction) {
  return reduced_slope(weight.defined() ? slope * weight : slope, input, reduction);
}

// The lower bound of the divisor in the forward pass's slope.
constexpr double kSmallestSpread = 1e-12;

} // namespace

// The loss is -t log(x) - (1 - t) log(1 - x).
Tensor binary_cross_entropy_target_backward(
    const Tensor& grad, const Tensor& self, const Tensor& weight, int64_t reduction) {
  const Tensor slope = at::log1p(-self) - at::log(self);
  return weighted_slope(grad * slope, weight, self, reduction);
}

// d/dx (x - t) / v with v = x (1 - x) is (v - (x - t) (1 - 2 x)) / v^2.
Tensor binary_cross_entropy_double_backward(
    const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
    int64_t reduction) {
  const Tensor spread = at::clamp_min(self * (1 - self), kSmallestSpread);
  const Tensor curvature = (spread - (self - target) * (1 - 2 * self)) / (spread * spread);
  return weighted_slope(grad * curvature, weight, self, reduction);
}

Tensor binary_cross_entropy_double_backward_target(
    const Tensor& grad, const Tensor& self, const Tensor& weight, int64_t reduction) {
  const Tensor spread = at::clamp_min(self * (1 - self), kSmallestSpread);
  return weighted_slope(-grad / spread, weight, self, reduction);
}

// The loss is (1 - t) z - (1 + (p - 1) t) log(s) with s = logistic(z), of slope
// (1 + (p - 1) t) s - p t.
Tensor binary_cross_entropy_with_logits_backward(
    const Tensor& grad, const Tensor& self, const Tensor& target, const Tensor& weight,
    const Tensor& pos_weight, int64_t reduction) {
  const Tensor s = at::sigmoid(self);
  if (!pos_weight.defined()) {
    return weighted_slope(grad * (s - target), weight, self, reduction);
  }
  const Tensor positive = pos_weight * target;
  return weighted_slope(grad * ((positive + 1 - target) * s - positive), weight, self, reduction);
}

Tensor binary_cross_entropy_with_logits_target_backward(
    const Tensor& grad, const Tensor& self, const Tensor& weight, const Tensor& pos_weight,
    int64_t reduction) {
  Tensor slope = -self;
  if (pos_weight.defined()) {
    slope = slope - (pos_weight - 1) * at::log_sigmoid(self);
  }
  return weighted_slope(grad * slope, weight, self, reduction);
}

} // namespace torch::autograd::generated::details
