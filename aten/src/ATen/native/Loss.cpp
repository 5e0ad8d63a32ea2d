// Losses composed of other operators.

#include <ATen/ExpandUtils.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/LossReduction.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/cosine_embedding_loss_native.h>
#include <ATen/ops/cosine_similarity_native.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/hinge_embedding_loss_native.h>
#include <ATen/ops/kl_div_native.h>
#include <ATen/ops/l1_loss_native.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/margin_ranking_loss_native.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/norm.h>
#include <ATen/ops/pairwise_distance.h>
#include <ATen/ops/pairwise_distance_native.h>
#include <ATen/ops/poisson_nll_loss_native.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/triplet_margin_loss_native.h>
#include <ATen/ops/where.h>
#include <ATen/ops/xlogy.h>

#include <numbers>

namespace at::native {

Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return apply_loss_reduction(at::abs(self - target), reduction);
}

// t (log t - x), or e^t (t - x) if the target is a logarithm.
Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) {
  TORCH_CHECK(
      !self.is_complex() && !target.is_complex(), "kl_div: Complex inputs are not supported.");
  TORCH_CHECK(
      self.is_floating_point() && target.is_floating_point(),
      "kl_div: Integral inputs not supported.");
  const Tensor loss =
      log_target ? at::exp(target) * (target - self) : at::xlogy(target, target) - target * self;
  return apply_loss_reduction(loss, reduction);
}

Tensor poisson_nll_loss(
    const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
    int64_t reduction) {
  Tensor loss = log_input ? at::exp(input) - target * input : input - target * at::log(input + eps);
  if (full) {
    // Stirling's approximation of log(target!).
    const Tensor factorial =
        target * at::log(target) - target + 0.5 * at::log(2 * std::numbers::pi * target);
    loss = at::methods::to(loss + at::masked_fill(factorial, target <= 1, 0), loss.scalar_type());
  }
  return apply_loss_reduction(loss, reduction);
}

// ---- distances

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  const int64_t rank = std::max(x1.dim(), x2.dim());
  return at::norm(x1 - x2 + eps, p, rank > 0 ? rank - 1 : 0, keepdim);
}

// Each vector is divided by its own norm first, because the product of the norms would lose
// precision.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const ScalarType dtype = at::result_type(x1, x2);
  TORCH_CHECK(
      c10::isFloatingType(dtype),
      "expected common dtype to be floating point, yet common dtype is ", dtype);
  const auto [a, b] = expand_outplace(x1, x2);
  const Tensor first = at::methods::to(*a, dtype), second = at::methods::to(*b, dtype);
  const Tensor first_norm = at::linalg_vector_norm(first, 2, dim, /*keepdim=*/true);
  const Tensor second_norm = at::linalg_vector_norm(second, 2, dim, /*keepdim=*/true);
  return at::sum(
      ((first / at::clamp_min(first_norm, eps)) * (second / at::clamp_min(second_norm, eps))), dim);
}

// ---- margins

Tensor margin_ranking_loss(
    const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
    int64_t reduction) {
  return apply_loss_reduction(at::clamp_min(-target * (input1 - input2) + margin, 0), reduction);
}

Tensor hinge_embedding_loss(
    const Tensor& self, const Tensor& target, double margin, int64_t reduction) {
  const Tensor bound = at::scalar_tensor(margin, self.options());
  const Tensor apart = at::where(target != 1, at::clamp_min(bound - self, 0), 0);
  const Tensor together = at::where(target != -1, self, 0);
  return apply_loss_reduction(apart + together, reduction);
}

Tensor cosine_embedding_loss(
    const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
    int64_t reduction) {
  TORCH_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  TORCH_CHECK(
      input1.dim() == (target.dim() == 1 ? 2 : 1) && input2.dim() == input1.dim(),
      target.dim() == 1 ? "1D target tensor expects 2D input tensors, but found inputs with sizes "
                        : "0D target tensor expects 1D input tensors, but found inputs with sizes ",
      input1.sizes(), " and ", input2.sizes(), ".");
  // A small number is added to the sum of squares so that a zero vector has a gradient.
  constexpr double kSmall = 1e-12;
  const int64_t dim = target.dim();
  const Tensor product = at::sum(input1 * input2, dim);
  const Tensor norms = at::sqrt(
      ((at::sum(input1 * input1, dim) + kSmall) * (at::sum(input2 * input2, dim) + kSmall)));
  const Tensor cosine = product / norms;
  const Tensor together = at::where(target == 1, 1 - cosine, 0);
  const Tensor apart = at::where(target == -1, at::clamp_min(cosine - margin, 0), 0);
  return apply_loss_reduction(together + apart, reduction);
}

Tensor triplet_margin_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin, double p,
    double eps, bool swap, int64_t reduction) {
  TORCH_CHECK(
      anchor.dim() == positive.dim() && positive.dim() == negative.dim(),
      "The anchor, positive, and negative tensors are expected to have the same number of "
      "dimensions, but got: anchor ",
      anchor.dim(), "D, positive ", positive.dim(), "D, and negative ", negative.dim(), "D inputs");
  const Tensor near = at::pairwise_distance(anchor, positive, p, eps);
  Tensor far = at::pairwise_distance(anchor, negative, p, eps);
  if (swap) {
    far = at::minimum(far, at::pairwise_distance(positive, negative, p, eps));
  }
  return apply_loss_reduction(at::clamp_min(margin + near - far, 0), reduction);
}

} // namespace at::native
