#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/ops/_dirichlet_grad.h>
#include <ATen/ops/_fft_c2c.h>
#include <ATen/ops/_fft_c2r.h>
#include <ATen/ops/_fft_r2c.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/lgamma.h>
#include <ATen/ops/log.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/real.h>
#include <ATen/ops/sinc.h>
#include <ATen/ops/sum.h>

#include <numbers>

namespace torch::autograd::generated::details {

Tensor igamma_slope(const Tensor& a, const Tensor& x) {
  return at::exp((a - 1) * at::log(x) - x - at::lgamma(a));
}

Tensor quotient_at_zero(const Tensor& numerator, const Tensor& x, double limit) {
  const Tensor at_zero = at::eq(x, 0);
  return at::masked_fill(numerator / at::masked_fill(x, at_zero, 1), at_zero, limit);
}

Tensor sinc_slope(const Tensor& x) {
  return quotient_at_zero(at::cos(x * std::numbers::pi) - at::sinc(x), x, 0);
}

// A draw x stays on the simplex: a step of one coordinate takes x_j / (1 - x_i) of it from each
// other one.
Tensor sample_dirichlet_backward(const Tensor& grad, const Tensor& alpha, const Tensor& draw) {
  if (!grad.defined()) {
    return {};
  }
  const Tensor total = at::methods::expand(at::sum(alpha, -1, /*keepdim=*/true), alpha.sizes());
  const Tensor slope = at::_dirichlet_grad(draw, alpha, total);
  return slope * (grad - at::sum(draw * grad, -1, /*keepdim=*/true));
}

namespace {

// 1 for the frequencies that a transform of `length` real numbers has once, `inner` for those whose
// conjugates are left out; in the shape that broadcasts along `dim` of `like`.
Tensor half_spectrum_weights(const Tensor& like, int64_t dim, int64_t length, double inner) {
  const int64_t kept = length / 2 + 1;
  std::vector<int64_t> shape(static_cast<size_t>(like.dim()), 1);
  shape[static_cast<size_t>(dim)] = kept;
  Tensor weights = at::empty(shape, like.options().dtype(c10::toRealValueType(like.scalar_type())));
  at::methods::fill_(weights, 1);
  const int64_t twice = length - kept;
  if (twice > 0) {
    Tensor middle = at::narrow(weights, dim, 1, twice);
    at::methods::fill_(middle, inner);
  }
  return weights;
}

int64_t last_axis(const Tensor& x, IntArrayRef dim) {
  return dim.back() < 0 ? dim.back() + x.dim() : dim.back();
}

} // namespace

Tensor fft_r2c_backward(
    const Tensor& grad, IntArrayRef dim, int64_t normalization, bool onesided, int64_t length) {
  if (!grad.defined()) {
    return {};
  }
  if (!onesided) {
    return at::real(at::_fft_c2c(grad, dim, normalization, /*forward=*/false));
  }
  const Tensor weights = half_spectrum_weights(grad, last_axis(grad, dim), length, 0.5);
  return at::_fft_c2r(grad * weights, dim, normalization, length);
}

Tensor fft_c2r_backward(const Tensor& grad, IntArrayRef dim, int64_t normalization) {
  if (!grad.defined()) {
    return {};
  }
  const int64_t axis = last_axis(grad, dim);
  const Tensor half = at::_fft_r2c(grad, dim, normalization, /*onesided=*/true);
  return half * half_spectrum_weights(half, axis, grad.size(axis), 2);
}

} // namespace torch::autograd::generated::details
