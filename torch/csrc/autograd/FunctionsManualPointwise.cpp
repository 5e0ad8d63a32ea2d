#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/ops/abs.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/real.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/sgn.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/to.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <c10/util/complex_math.h>

#include <cmath>
#include <limits>

namespace torch::autograd::generated::details {

Tensor not_implemented(const char* name) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "the derivative for '", name, "' is not implemented.");
}

bool is_one(const Scalar& factor) {
  return factor.equal(1);
}

// ---- products, quotients, powers

Tensor mul_tensor_backward(const Tensor& grad, const Tensor& other, ScalarType self) {
  return handle_r_to_c(self, grad * conj_of(other));
}

Tensor div_tensor_self_backward(
    const Tensor& grad, const Tensor& other, ScalarType self,
    const std::optional<c10::string_view>& rounding_mode) {
  if (rounding_mode.has_value()) {
    return at::methods::to(at::zeros_like(grad), self);
  }
  return handle_r_to_c(self, grad / conj_of(other));
}

// d(a / b)/db = -(a / b) / b
Tensor div_tensor_other_backward(
    const Tensor& grad, const Tensor& self, const Tensor& other,
    const std::optional<c10::string_view>& rounding_mode) {
  if (rounding_mode.has_value()) {
    return at::methods::to(at::zeros_like(grad), other.scalar_type());
  }
  return handle_r_to_c(other.scalar_type(), -grad * conj_of((self / other) / other));
}

Tensor lerp_self_backward(const Tensor& grad, const Scalar& weight) {
  if (weight.isComplex()) {
    return grad * Scalar(c10::complex<double>(1) - weight.conj().toComplexDouble());
  }
  return grad * (1 - weight.toDouble());
}

// x^0 is 1 everywhere, including at x = 0.
Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent) {
  if (exponent.equal(0)) {
    return at::methods::to(at::zeros_like(grad), self.scalar_type());
  }
  if (exponent.equal(2)) {
    return handle_r_to_c(self.scalar_type(), grad * conj_of(self * 2));
  }
  const Scalar lower = exponent.isComplex()
      ? Scalar(exponent.toComplexDouble() - c10::complex<double>(1))
      : exponent.isFloatingPoint() ? Scalar(exponent.toDouble() - 1)
                                   : Scalar(exponent.toLong() - 1);
  return handle_r_to_c(self.scalar_type(), grad * conj_of(at::pow(self, lower) * exponent));
}

Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent) {
  const Tensor slope = exponent * at::pow(self, exponent - 1);
  return handle_r_to_c(self.scalar_type(), grad * conj_of(at::where(exponent == 0, 0, slope)));
}

namespace {

// 0^e is 0 for every e > 0 and 1 at e = 0, where the slope log(0) * 0^e counts as 0.
Tensor flat_at_zero(const Tensor& exponent) {
  return exponent.is_complex() ? at::real(exponent) >= 0 : exponent >= 0;
}

} // namespace

// d(b^e)/de = b^e log(b)
Tensor pow_backward_exponent(
    const Tensor& grad, const Tensor& self, const Tensor& exponent, const Tensor& result) {
  const Tensor flat = at::logical_and(self == 0, flat_at_zero(exponent));
  const bool widens = result.is_complex() && !self.is_complex();
  const Tensor base = widens ? at::methods::to(self, result.scalar_type()) : self;
  const Tensor slope = at::where(flat, 0, result * at::log(base));
  return handle_r_to_c(exponent.scalar_type(), grad * conj_of(slope));
}

Tensor pow_backward_exponent(
    const Tensor& grad, const Scalar& base, const Tensor& exponent, const Tensor& result) {
  if (base.isComplex()) {
    const c10::complex<double> value = base.toComplexDouble();
    const c10::complex<double> log = std::log(value);
    return handle_r_to_c(exponent.scalar_type(), grad * conj_of(result * Scalar(log)));
  }
  // A negative base has a complex logarithm: the result is NaN unless it is complex.
  const double value = base.toDouble();
  const Scalar log = result.is_complex() && value < 0
      ? Scalar(std::log(c10::complex<double>(value)))
      : Scalar(std::log(value));
  Tensor slope = result * log;
  if (value == 0) {
    slope = at::where(flat_at_zero(exponent), 0, slope);
  }
  return handle_r_to_c(exponent.scalar_type(), grad * conj_of(slope));
}

// z / |z| does not change in the direction of z and changes by 1 / |z| across it. With s = z / |z|
// the gradient is (g - Re(g conj(s)) s) / |z|.
Tensor atan2_slope(const Tensor& part, const Tensor& self, const Tensor& other) {
  const Tensor square = self * self + other * other;
  return at::masked_fill(part / square, square == 0, 0);
}

Tensor logit_backward(const Tensor& grad, const Tensor& self, std::optional<double> eps) {
  const bool is_clamped = eps.has_value() && !(*eps < 0);
  const double low = is_clamped ? *eps : 0.;
  // The upper bound is rounded as the elements are.
  const double high = self.scalar_type() == at::kDouble ? 1 - low : 1 - static_cast<float>(low);
  const Tensor outside = at::logical_or(at::lt(self, low), at::gt(self, high));
  const double slope = is_clamped ? 0. : std::numeric_limits<double>::quiet_NaN();
  return at::masked_fill(grad / (self * (1 - self)), outside, slope);
}

Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& sgn) {
  if (!self.is_complex()) {
    return at::zeros_like(grad);
  }
  const Tensor size = at::abs(self);
  const Tensor along = at::real(grad * at::conj(sgn)) * sgn;
  return at::masked_fill((grad - along) / size, size == 0, 0);
}

std::tuple<Tensor, Tensor> polar_backward(const Tensor& grad, const Tensor& result) {
  if (!grad.defined()) {
    return {};
  }
  const Tensor along = at::conj(grad);
  return {
      at::real(along * at::sgn(result)),
      at::real(along * (result * Scalar(c10::complex<double>(0, 1))))};
}

// The angle of z changes by Im(dz / z); that of a real number does not change.
Tensor angle_backward(const Tensor& grad, const Tensor& self) {
  if (!self.is_complex()) {
    return at::zeros_like(self);
  }
  const Tensor slope = at::conj(at::reciprocal(self)) * Scalar(c10::complex<double>(0, 1));
  return at::masked_fill(grad * slope, self == 0, 0);
}

Tensor angle_forward(const Tensor& self_t, const Tensor& self_p) {
  if (!self_p.is_complex()) {
    return at::zeros_like(self_p);
  }
  return at::masked_fill(at::imag(self_t / self_p), self_p == 0, 0);
}

// ---- clamping

Tensor clamp_backward(
    const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
    const std::optional<Scalar>& max) {
  if (min.has_value() && max.has_value()) {
    return at::where(at::logical_and(self >= *min, self <= *max), grad, 0);
  }
  return min.has_value() ? at::where(self >= *min, grad, 0)
      : max.has_value()  ? at::where(self <= *max, grad, 0)
                         : grad;
}

Tensor clamp_backward(
    const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max) {
  if (min.defined() && max.defined()) {
    return at::where(at::logical_and(self >= min, self <= max), grad, 0);
  }
  return min.defined() ? at::where(self >= min, grad, 0)
      : max.defined()  ? at::where(self <= max, grad, 0)
                       : grad;
}

// If the lower bound exceeds the upper one, the result is max.
std::tuple<Tensor, Tensor> clamp_backward_min_max(
    const Tensor& grad, const Tensor& self, const Tensor& min, const Tensor& max,
    const std::array<bool, 2>& grad_input_mask) {
  Tensor grad_min, grad_max;
  if (min.defined() && grad_input_mask[0]) {
    const Tensor below = self < min;
    grad_min = at::where(max.defined() ? at::logical_and(below, min < max) : below, grad, 0);
  }
  if (max.defined() && grad_input_mask[1]) {
    const Tensor above = self > max;
    grad_max = at::where(min.defined() ? at::logical_or(above, max < min) : above, grad, 0);
  }
  return {grad_min, grad_max};
}

Tensor _to_copy_backward(const Tensor& grad, const TensorOptions& options) {
  const ScalarType dtype = c10::typeMetaToScalarType(options.dtype());
  return at::methods::to(handle_r_to_c(dtype, grad), options);
}

// ---- second derivatives of activations

namespace {

// gelu = x P(x), so gelu'' = 2 P' + x P''. With the error function, P' is the normal density phi
// and P'' = -x phi.
Tensor gelu_curvature(const Tensor& x) {
  constexpr double kInverseRootTwoPi = 0.3989422804014327;
  const Tensor square = x * x;
  return kInverseRootTwoPi * at::exp(square * -0.5) * (2 - square);
}

// P = (1 + tanh u) / 2 with u = c (x + k x^3): P' = s u' / 2 and P'' = s (u'' - 2 t u'^2) / 2,
// where t = tanh u and s = 1 - t^2.
Tensor gelu_tanh_curvature(const Tensor& x) {
  constexpr double c = 0.7978845608028654, k = 0.044715;
  const Tensor square = x * x;
  const Tensor t = at::tanh(c * x * (1 + k * square));
  const Tensor s = 1 - t * t;
  const Tensor u1 = c * (1 + 3 * k * square);
  const Tensor u2 = (6 * c * k) * x;
  return s * (u1 + 0.5 * x * (u2 - 2 * t * u1 * u1));
}

} // namespace

Tensor gelu_double_backward(
    const Tensor& grad, const Tensor& grad_output, const Tensor& self,
    c10::string_view approximate) {
  const Tensor curvature = approximate == "tanh" ? gelu_tanh_curvature(self) : gelu_curvature(self);
  return grad * grad_output * curvature;
}

// prelu's gradients are g (x > 0 ? 1 : w) and g (x > 0 ? 0 : x).
Tensor prelu_grad_output_backward(
    const Tensor& grad_self, const Tensor& grad_weight, const Tensor& self, const Tensor& weight) {
  const Tensor positive = self > 0;
  Tensor result;
  if (grad_self.defined()) {
    result = at::where(positive, grad_self, weight * grad_self);
  }
  if (grad_weight.defined()) {
    const Tensor through_weight = at::where(positive, 0, grad_weight * self);
    result = result.defined() ? result + through_weight : through_weight;
  }
  return result;
}

Tensor prelu_self_backward(
    const Tensor& grad_weight, const Tensor& grad_output, const Tensor& self) {
  return grad_weight.defined() ? at::where(self > 0, 0, grad_weight * grad_output) : Tensor();
}

Tensor prelu_weight_backward(
    const Tensor& grad_self, const Tensor& grad_output, const Tensor& self) {
  return grad_self.defined() ? at::where(self > 0, 0, grad_self * grad_output) : Tensor();
}

// The first derivative is y (g - sum(g y)); this is its gradient in y for an upstream c:
// c (g - sum(g y)) - g sum(c y).
Tensor softmax_double_backward(
    const Tensor& grad, const Tensor& grad_output, int64_t dim, const Tensor& output) {
  const Tensor mean = at::sum(grad_output * output, dim, /*keepdim=*/true);
  const Tensor upstream = at::sum(grad * output, dim, /*keepdim=*/true);
  return grad * (grad_output - mean) - grad_output * upstream;
}

// The first derivative is g - exp(y) sum(g).
Tensor log_softmax_double_backward_grad_output(
    const Tensor& grad, const Tensor& output, int64_t dim) {
  return grad - at::sum(grad * at::exp(output), dim, /*keepdim=*/true);
}

Tensor log_softmax_double_backward_output(
    const Tensor& grad, const Tensor& grad_output, const Tensor& output, int64_t dim) {
  return -grad * at::exp(output) * at::sum(grad_output, dim, /*keepdim=*/true);
}

} // namespace torch::autograd::generated::details
