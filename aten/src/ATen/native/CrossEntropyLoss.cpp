#include <ATen/TensorOperators.h>
#include <ATen/ops/cross_entropy_loss_native.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/nll_loss_nd.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sum.h>

namespace at::native {

namespace {

// The class weights, reshaped to multiply a tensor whose classes are in `class_dim`.
Tensor weights_along(const Tensor& weight, int64_t class_dim, int64_t dims) {
  c10::DimVector sizes(dims, 1);
  sizes[class_dim] = weight.numel();
  return at::reshape(weight, sizes);
}

// Targets are probabilities with the shape of the input.
Tensor with_probabilities(
    const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
    double label_smoothing) {
  const int64_t class_dim = self.dim() == 1 ? 0 : 1;
  const int64_t classes = self.size(class_dim);
  TORCH_CHECK(
      at::isFloatingType(target.scalar_type()),
      "Expected floating point type for target with class probabilities, got ",
      target.scalar_type());
  TORCH_CHECK(
      !weight.defined() || (weight.dim() == 1 && weight.numel() == classes),
      "cross_entropy: weight tensor should be defined either for all ", classes,
      " classes or no classes but got weight tensor of shape: ",
      weight.defined() ? weight.sizes() : IntArrayRef());
  const Tensor log_probabilities = at::log_softmax(self, class_dim, self.scalar_type());
  Tensor wanted = target;
  if (label_smoothing > 0.0) {
    wanted = target * (1 - label_smoothing) + label_smoothing / static_cast<double>(classes);
  }
  Tensor terms = log_probabilities * wanted;
  if (weight.defined()) {
    terms = terms * weights_along(weight, class_dim, self.dim());
  }
  if (reduction == Reduction::None) {
    return -at::sum(terms, class_dim);
  }
  const Tensor total = -at::sum(terms);
  if (reduction == Reduction::Sum) {
    return total;
  }
  return total / (static_cast<double>(self.numel()) / static_cast<double>(classes));
}

// Targets are class indices; label smoothing spreads a share evenly over all classes.
Tensor with_smoothed_labels(
    const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction,
    int64_t ignore_index, double label_smoothing) {
  const int64_t class_dim = self.dim() == 1 ? 0 : 1;
  const int64_t classes = self.size(class_dim);
  const Tensor log_probabilities = at::log_softmax(self, class_dim, self.scalar_type());
  const std::optional<Tensor> factors =
      weight.defined() ? std::make_optional(weight) : std::nullopt;
  const Tensor nll = at::nll_loss_nd(log_probabilities, target, factors, reduction, ignore_index);

  const Tensor spread = weight.defined()
      ? -at::sum(log_probabilities * weights_along(weight, class_dim, self.dim()), class_dim)
      : -at::sum(log_probabilities, class_dim);
  const Tensor ignored = at::eq(target, ignore_index);
  Tensor smooth = at::masked_fill(spread, ignored, 0.0);
  if (reduction == Reduction::Mean) {
    if (weight.defined()) {
      // The mean divides by the same total weight as the negative log likelihood.
      const Tensor known = at::masked_fill(target, ignored, 0);
      const Tensor each = at::gather(weight, 0, at::reshape(known, {-1}));
      smooth = at::sum(smooth) / at::sum(at::masked_fill(each, at::reshape(ignored, {-1}), 0.0));
    } else {
      smooth = at::sum(smooth) / at::sum(at::masked_fill(at::ones_like(smooth), ignored, 0.0));
    }
  } else if (reduction == Reduction::Sum) {
    smooth = at::sum(smooth);
  }
  const double share = label_smoothing / static_cast<double>(classes);
  return nll * (1 - label_smoothing) + smooth * share;
}

} // namespace

Tensor cross_entropy_loss(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, int64_t ignore_index, double label_smoothing) {
  TORCH_CHECK(
      label_smoothing >= 0.0 && label_smoothing <= 1.0,
      "label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  const Tensor factors = weight.value_or(Tensor());
  if (self.sizes().equals(target.sizes())) {
    TORCH_CHECK(ignore_index < 0, "ignore_index is not supported for floating point target");
    return with_probabilities(self, target, factors, reduction, label_smoothing);
  }
  if (label_smoothing > 0.0) {
    return with_smoothed_labels(self, target, factors, reduction, ignore_index, label_smoothing);
  }
  const int64_t class_dim = self.dim() == 1 ? 0 : 1;
  return at::nll_loss_nd(
      at::log_softmax(self, class_dim, self.scalar_type()), target, weight, reduction,
      ignore_index);
}

} // namespace at::native
