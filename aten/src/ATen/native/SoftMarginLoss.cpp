// log(1 + exp(-y x)) for targets y of -1 and 1.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/LossReduction.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/soft_margin_loss_backward_native.h>
#include <ATen/ops/soft_margin_loss_native.h>
#include <ATen/ops/softplus.h>

namespace at::native {

namespace {

void check_floating(const Tensor& self) {
  TORCH_CHECK(
      !c10::isIntegralType(self.scalar_type(), /*includeBool=*/true),
      "result type Float can't be cast to the desired output type ", self.scalar_type());
}

} // namespace

Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  check_floating(self);
  return apply_loss_reduction(at::softplus(-target * self), reduction);
}

Tensor& soft_margin_loss_out(
    const Tensor& self, const Tensor& target, int64_t reduction, Tensor& result) {
  const Tensor loss = soft_margin_loss(self, target, reduction);
  resize_output(result, loss.sizes());
  return at::methods::copy_(result, loss);
}

Tensor soft_margin_loss_backward(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, int64_t reduction) {
  check_floating(self);
  const Tensor slope = -target * at::sigmoid(-target * self);
  return reduction == Reduction::Mean ? grad_output * slope / self.numel() : grad_output * slope;
}

Tensor& soft_margin_loss_backward_out(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, int64_t reduction,
    Tensor& grad_input) {
  const Tensor result = soft_margin_loss_backward(grad_output, self, target, reduction);
  resize_output(grad_input, result.sizes());
  return at::methods::copy_(grad_input, result);
}

} // namespace at::native
