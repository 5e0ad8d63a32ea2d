#include <ATen/native/Loss.h>

#include <ATen/TensorIterator.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/LossReduction.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/binary_cross_entropy_backward_native.h>
#include <ATen/ops/binary_cross_entropy_native.h>
#include <ATen/ops/binary_cross_entropy_with_logits_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/log_sigmoid.h>

namespace at::native {

DEFINE_DISPATCH(binary_cross_entropy_stub);
DEFINE_DISPATCH(binary_cross_entropy_backward_stub);
DEFINE_DISPATCH(binary_cross_entropy_logits_stub);

namespace {

Tensor weighted(const Tensor& loss, const std::optional<Tensor>& weight) {
  return weight.has_value() && weight->defined() ? loss * *weight : loss;
}

} // namespace

Tensor binary_cross_entropy_cpu(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction) {
  TORCH_CHECK(
      target.scalar_type() == self.scalar_type(), "Found dtype ", target.scalar_type(),
      " but expected ", self.scalar_type());
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, target);
  if (!self.is_meta()) {
    TORCH_CHECK(
        binary_cross_entropy_stub(iter.device_type(), iter),
        "all elements of input should be between 0 and 1");
  }
  return apply_loss_reduction(weighted(Tensor(iter.take_output()), weight), reduction);
}

Tensor& binary_cross_entropy_out_cpu(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    int64_t reduction, Tensor& loss) {
  const Tensor result = binary_cross_entropy_cpu(self, target, weight, reduction);
  resize_output(loss, result.sizes());
  return at::methods::copy_(loss, result);
}

Tensor binary_cross_entropy_backward_cpu(
    const Tensor& grad_output, const Tensor& self, const Tensor& target,
    const std::optional<Tensor>& weight, int64_t reduction) {
  const double count = reduction == Reduction::Mean ? static_cast<double>(self.numel()) : 1.0;
  const Tensor output;
  auto iter = TensorIteratorConfig()
                  .add_output(output)
                  .add_const_input(grad_output)
                  .add_const_input(self)
                  .add_const_input(target)
                  .build();
  binary_cross_entropy_backward_stub(iter.device_type(), iter, count);
  return weighted(Tensor(iter.output()), weight);
}

Tensor& binary_cross_entropy_backward_out_cpu(
    const Tensor& grad_output, const Tensor& self, const Tensor& target,
    const std::optional<Tensor>& weight, int64_t reduction, Tensor& grad_input) {
  const Tensor result =
      binary_cross_entropy_backward_cpu(grad_output, self, target, weight, reduction);
  resize_output(grad_input, result.sizes());
  return at::methods::copy_(grad_input, result);
}

// (1 - t) z - (1 + (p - 1) t) log(logistic(z)), where p is the weight of the positive class.
Tensor binary_cross_entropy_with_logits(
    const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& pos_weight, int64_t reduction) {
  TORCH_CHECK(
      !self.is_floating_point() || !c10::isIntegralType(target.scalar_type(), /*includeBool=*/true),
      "result type Float can't be cast to the desired output type ", target.scalar_type());
  if (pos_weight.has_value() && pos_weight->defined()) {
    const Tensor log_probability = at::log_sigmoid(self);
    const Tensor factor = (*pos_weight - 1) * target + 1;
    const Tensor loss = (1 - target) * self - factor * log_probability;
    return apply_loss_reduction(weighted(loss, weight), reduction);
  }
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, target);
  binary_cross_entropy_logits_stub(iter.device_type(), iter);
  return apply_loss_reduction(weighted(Tensor(iter.take_output()), weight), reduction);
}

} // namespace at::native
