// cross_entropy_loss: log_softmax, then a loss over class indices or class probabilities.

#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>

#include <ATen/ops/cross_entropy_loss_native.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss_nd.h>
#include <c10/util/DimVector.h>

namespace at::native {
namespace {

bool is_given(const std::optional<Tensor>& weight) {
  return weight.has_value() && weight->defined();
}

int64_t class_dim(const Tensor& self) {
  return self.dim() == 1 ? 0 : 1;
}

// The class weights, shaped to multiply the input.
Tensor spread_weight(const Tensor& weight, const Tensor& self) {
  c10::DimVector shape(static_cast<size_t>(self.dim()), 1);
  shape[static_cast<size_t>(class_dim(self))] = weight.size(0);
  return weight.view(shape);
}

Tensor probability_loss(const Tensor& self, const Tensor& target,
                        const std::optional<Tensor>& weight, int64_t reduction,
                        double label_smoothing) {
  const int64_t dim = class_dim(self);
  const int64_t classes = self.size(dim);
  Tensor goal = target;
  if (label_smoothing > 0) {
    goal = target.mul(1 - label_smoothing).add(label_smoothing / static_cast<double>(classes));
  }
  Tensor product = at::log_softmax(self, dim, self.scalar_type()).mul(goal);
  if (is_given(weight)) {
    product = product.mul(spread_weight(*weight, self));
  }
  if (reduction == Reduction::None) {
    return product.sum(dim).neg();
  }
  const Tensor total = product.sum().neg();
  if (reduction == Reduction::Sum) {
    return total;
  }
  return total.div(static_cast<double>(self.numel()) / static_cast<double>(classes));
}

// (1 - s) * nll + s / classes * sum over all classes.
Tensor smoothed_loss(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                     int64_t reduction, int64_t ignore_index, double label_smoothing) {
  const int64_t dim = class_dim(self);
  const Tensor input = at::log_softmax(self, dim, self.scalar_type());
  const Tensor nll = at::nll_loss_nd(input, target, weight, reduction, ignore_index);
  Tensor smooth = is_given(weight) ? input.mul(spread_weight(*weight, self)).sum(dim).neg()
                                   : input.sum(dim).neg();
  const Tensor ignored = target.eq(ignore_index);
  smooth = smooth.masked_fill(ignored, 0);
  if (reduction == Reduction::Mean) {
    const Tensor kept = target.masked_select(ignored.logical_not());
    smooth = is_given(weight) ? smooth.sum().div(at::gather(*weight, 0, kept).sum())
                              : smooth.sum().div(kept.numel());
  } else if (reduction == Reduction::Sum) {
    smooth = smooth.sum();
  }
  return nll.mul(1 - label_smoothing)
      .add(smooth.mul(label_smoothing / static_cast<double>(self.size(dim))));
}

} // namespace

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target,
                          const std::optional<Tensor>& weight, int64_t reduction,
                          int64_t ignore_index, double label_smoothing) {
  TORCH_CHECK(label_smoothing >= 0 && label_smoothing <= 1,
              "label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  if (self.sizes() == target.sizes()) {
    TORCH_CHECK(target.is_floating_point(),
                "Expected floating point type for target with class probabilities, got ",
                target.scalar_type());
    TORCH_CHECK(ignore_index < 0, "ignore_index is not supported for floating point target");
    return probability_loss(self, target, weight, reduction, label_smoothing);
  }
  if (label_smoothing > 0) {
    return smoothed_loss(self, target, weight, reduction, ignore_index, label_smoothing);
  }
  const Tensor input = at::log_softmax(self, class_dim(self), self.scalar_type());
  return at::nll_loss_nd(input, target, weight, reduction, ignore_index);
}

} // namespace at::native
