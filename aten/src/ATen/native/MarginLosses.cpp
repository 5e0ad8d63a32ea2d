// multi_margin_loss and multilabel_margin_loss, composed of other operators.

#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/LossReduction.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/cumprod.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/item.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/multi_margin_loss_native.h>
#include <ATen/ops/multilabel_margin_loss_native.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

void check_classes(const char* op, const Tensor& target, int64_t low, int64_t classes) {
  // The gather below a tensor of a transform checks, where there is memory to read.
  const bool wrapped = target.unsafeGetTensorImpl()->is_python_dispatch();
  if (target.numel() == 0 || target.is_meta() || wrapped) {
    return;
  }
  const auto least = at::methods::item(at::min(target)).to<int64_t>();
  const auto most = at::methods::item(at::max(target)).to<int64_t>();
  TORCH_CHECK(
      least >= low && most < classes, op, ": target out of range: expected values from ", low,
      " to ", classes - 1, ", but got ", least < low ? least : most);
}

void check_input(const char* op, const Tensor& self) {
  TORCH_CHECK(
      (self.dim() == 2 && self.size(1) != 0) || (self.dim() == 1 && self.size(0) != 0) ||
          self.dim() == 0,
      "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ",
      self.sizes());
  if (self.scalar_type() != kFloat && self.scalar_type() != kDouble) {
    at::detail::dispatch_unsupported(op, self.scalar_type());
  }
}

// As a matrix of one row for each element of the batch.
Tensor as_rows(const Tensor& tensor) {
  const Tensor line = tensor.dim() == 0 ? at::unsqueeze(tensor, 0) : tensor;
  return line.dim() == 1 ? at::unsqueeze(line, 0) : line;
}

} // namespace

// mean over i != y of max(0, margin - x[y] + x[i])^p, times weight[y].
Tensor multi_margin_loss(
    const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin,
    const std::optional<Tensor>& weight, int64_t reduction) {
  constexpr const char* name = "multi_margin_loss";
  TORCH_CHECK(p.equal(1) || p.equal(2), "only p == 1 and p == 2 supported");
  check_input(name, self);
  const Tensor input = as_rows(self);
  TORCH_CHECK(
      target.dim() <= 1 && target.numel() == input.size(0), name,
      ": target tensor should be 1-D with size equal to the number of input samples (batch size). "
      "Expected target size [",
      input.size(0), "], but got ", target.sizes(), ". Input has shape ", self.sizes(), ".");
  const bool weighted = weight.has_value() && weight->defined();
  TORCH_CHECK(
      !weighted || (weight->dim() <= 1 && weight->numel() == input.size(1)),
      "inconsistent weight size, expected ", input.size(1), " but got ", weight->sizes());
  TORCH_CHECK(
      target.scalar_type() == kLong, "expected scalar type Long but found ", target.scalar_type());
  check_classes(name, target, 0, input.size(1));
  const Tensor index = at::unsqueeze(target.dim() == 0 ? at::unsqueeze(target, 0) : target, 1);
  Tensor gaps = at::clamp_min(input - at::gather(input, 1, index) + margin, 0);
  if (p.equal(2)) {
    gaps = gaps * gaps;
  }
  if (weighted) {
    gaps = gaps * at::unsqueeze(at::index_select(*weight, 0, at::select(index, 1, 0)), 1);
  }
  const Tensor classes = at::arange(input.size(1), target.options());
  const Tensor own = at::unsqueeze(classes, 0) == index;
  const Tensor loss =
      at::sum(at::masked_fill(gaps, own, 0), 1) / Scalar(static_cast<double>(input.size(1)));
  return apply_loss_reduction(target.dim() == 0 ? at::select(loss, 0, 0) : loss, reduction);
}

// The mean over labels y and other classes i of max(0, 1 - x[y] + x[i]); labels end at the first
// -1.
Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  constexpr const char* name = "multilabel_margin_loss";
  check_input(name, self);
  TORCH_CHECK(
      target.sizes() == self.sizes() || (self.dim() == 0 && target.numel() == 1),
      "inconsistent target size: ", target.sizes(), " for input of size: ", self.sizes());
  TORCH_CHECK(
      target.scalar_type() == kLong, "expected scalar type Long but found ", target.scalar_type());
  const Tensor input = as_rows(self), labels = as_rows(target);
  check_classes(name, labels, -1, input.size(1));
  const Tensor valid = at::cumprod(at::methods::to(at::ge(labels, 0), kLong), 1);
  const Tensor index = at::clamp_min(labels, 0);
  const Tensor counts =
      at::scatter_add(at::zeros(labels.sizes(), labels.options()), 1, index, valid);
  const Tensor is_label = at::methods::to(at::ge(counts, 1), kBool);
  const Tensor own = at::unsqueeze(at::gather(input, 1, index), 2);
  const Tensor gaps = at::clamp_min(at::unsqueeze(input, 1) - own + Scalar(1), 0);
  const Tensor used = at::masked_fill(gaps, at::unsqueeze(at::logical_not(valid), 2), 0);
  const Tensor others = at::masked_fill(used, at::unsqueeze(is_label, 1), 0);
  const Tensor loss = at::sum(others, {1, 2}) / Scalar(static_cast<double>(input.size(1)));
  return apply_loss_reduction(self.dim() <= 1 ? at::select(loss, 0, 0) : loss, reduction);
}

} // namespace at::native
