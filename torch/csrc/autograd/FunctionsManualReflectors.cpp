#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ormqr.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros_like.h>

// The gradients of products of Householder reflectors H_i = I - tau_i v_i v_i^H, where v_i is zero
// above row i, one in it, and column i of a matrix below it.

namespace torch::autograd::generated::details {

namespace {

Tensor adjoint(const Tensor& x) {
  return conj_of(at::transpose(x, -1, -2));
}

Tensor product(const Tensor& a, const Tensor& b) {
  return at::matmul(a, b);
}

// The gradients of the matrix of reflectors and of tau where `grad` is that of H_1 ... H_k x.
// With L and R for the products before and after H_i, the gradient of H_i is M = L^H grad (R x)^H,
// and dH_i = -dtau v v^H - tau (dv v^H + v dv^H).
std::tuple<Tensor, Tensor> reflectors_backward(
    const Tensor& grad, const Tensor& x, const Tensor& reflectors, const Tensor& tau) {
  const int64_t rows = reflectors.size(-2), cols = reflectors.size(-1), count = tau.size(-1);
  if (count == 0) {
    return {at::zeros_like(reflectors), at::zeros_like(tau)};
  }
  const Tensor below = at::narrow(reflectors, -1, 0, count);
  const Tensor all = at::tril(below, -1) + at::eye(rows, count, reflectors.options());
  const auto vector = [&](int64_t i) { return at::narrow(all, -1, i, 1); };
  const auto scale = [&](int64_t i) { return at::unsqueeze(at::narrow(tau, -1, i, 1), -1); };

  std::vector<Tensor> after(count); // H_(i+1) ... H_k x
  Tensor rest = x;
  for (int64_t i = count - 1; i >= 0; --i) {
    after[i] = rest;
    const Tensor v = vector(i);
    rest = rest - scale(i) * product(v, product(adjoint(v), rest));
  }
  Tensor before = grad; // (H_1 ... H_(i-1))^H grad
  std::vector<Tensor> of_vectors(count), of_scales(count);
  for (int64_t i = 0; i < count; ++i) {
    const Tensor v = vector(i), factor = scale(i);
    const Tensor forward = product(before, product(adjoint(after[i]), v));  // M v
    const Tensor backward = product(after[i], product(adjoint(before), v)); // M^H v
    of_vectors[i] = -(conj_of(factor) * forward + factor * backward);
    of_scales[i] = -product(adjoint(v), forward);
    before = before - conj_of(factor) * product(v, product(adjoint(v), before));
  }
  if (cols > count) {
    of_vectors.push_back(at::zeros_like(at::narrow(reflectors, -1, count, cols - count)));
  }
  const Tensor to_tau = at::cat(of_scales, -1);
  return {at::tril(at::cat(of_vectors, -1), -1), at::squeeze(to_tau, -2)};
}

} // namespace

std::tuple<Tensor, Tensor> householder_product_backward(
    const Tensor& grad, const Tensor& reflectors, const Tensor& tau) {
  if (!grad.defined()) {
    return {};
  }
  const Tensor unit = at::eye(reflectors.size(-2), reflectors.size(-1), reflectors.options());
  return reflectors_backward(grad, unit, reflectors, tau);
}

// Each product is moved to the form Q x: <grad, Q^H c> = <c, Q grad>, <grad, c Q> = <c^H, Q grad^H>
// and <grad, c Q^H> = <grad^H, Q c^H>.
std::tuple<Tensor, Tensor, Tensor> ormqr_backward(
    const Tensor& grad, const Tensor& reflectors, const Tensor& tau, const Tensor& other, bool left,
    bool transpose, std::array<bool, 3> mask) {
  if (!grad.defined()) {
    return {};
  }
  std::tuple<Tensor, Tensor, Tensor> result;
  if (mask[0] || mask[1]) {
    const bool exchanged = left == transpose;
    const Tensor& upstream = exchanged ? other : grad;
    const Tensor& operand = exchanged ? grad : other;
    std::tie(std::get<0>(result), std::get<1>(result)) = reflectors_backward(
        left ? upstream : adjoint(upstream), left ? operand : adjoint(operand), reflectors, tau);
  }
  if (mask[2]) {
    std::get<2>(result) = at::ormqr(reflectors, tau, grad, left, !transpose);
  }
  return result;
}

} // namespace torch::autograd::generated::details
