// mse_loss, smooth_l1_loss and huber_loss.

#include <ATen/native/Loss.h>

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/LossReduction.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/full.h>
#include <ATen/ops/huber_loss_backward_native.h>
#include <ATen/ops/huber_loss_native.h>
#include <ATen/ops/mse_loss_backward_native.h>
#include <ATen/ops/mse_loss_native.h>
#include <ATen/ops/smooth_l1_loss_backward_native.h>
#include <ATen/ops/smooth_l1_loss_native.h>

#include <vector>

namespace at::native {

DEFINE_DISPATCH(point_loss_stub);
DEFINE_DISPATCH(point_loss_backward_stub);
DEFINE_DISPATCH(point_loss_sum_stub);

namespace {

Tensor loss_of_each(const Tensor& self, const Tensor& target, PointLoss kind, double parameter) {
  TensorIterator iter;
  iter.build_binary_op(TensorBase(), self, target);
  point_loss_stub(iter.device_type(), iter, kind, parameter);
  return Tensor(iter.take_output());
}

// Whether the sum can be computed directly over the arrays, without a tensor of losses.
bool as_arrays(const Tensor& self, const Tensor& target) {
  return self.is_cpu() && self.scalar_type() == target.scalar_type() &&
      c10::isFloatingType(self.scalar_type()) && self.sizes() == target.sizes() &&
      self.is_contiguous() && target.is_contiguous();
}

// Partial sums cover fixed ranges, so the number of threads does not affect the result.
double sum_of_arrays(const Tensor& self, const Tensor& target, PointLoss kind, double parameter) {
  constexpr int64_t kPiece = 16384;
  const int64_t n = self.numel();
  const auto itemsize = static_cast<int64_t>(self.itemsize());
  const auto* input = static_cast<const char*>(self.const_data_ptr());
  const auto* wanted = static_cast<const char*>(target.const_data_ptr());
  std::vector<double> sums((n + kPiece - 1) / kPiece);
  const auto pieces = static_cast<int64_t>(sums.size());
  at::parallel_for(0, pieces, 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i * kPiece;
      sums[i] = point_loss_sum_stub(
          self.device().type(), self.scalar_type(), input + first * itemsize,
          wanted + first * itemsize, std::min(kPiece, n - first), kind, parameter);
    }
  });
  double total = 0;
  for (const double sum : sums) {
    total += sum;
  }
  return total;
}

Tensor point_loss(
    const Tensor& self, const Tensor& target, int64_t reduction, PointLoss kind, double parameter) {
  if (reduction != Reduction::None && as_arrays(self, target)) {
    const double total = sum_of_arrays(self, target, kind, parameter);
    const double value =
        reduction == Reduction::Mean ? total / static_cast<double>(self.numel()) : total;
    return at::full({}, value, self.options());
  }
  return apply_loss_reduction(loss_of_each(self, target, kind, parameter), reduction);
}

Tensor& point_loss_out(
    const Tensor& self, const Tensor& target, int64_t reduction, PointLoss kind, double parameter,
    Tensor& result) {
  const Tensor loss = point_loss(self, target, reduction, kind, parameter);
  resize_output(result, loss.sizes());
  return at::methods::copy_(result, loss);
}

Tensor point_loss_backward(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, int64_t reduction,
    PointLoss kind, double parameter, const Tensor& grad_input) {
  const double norm = reduction == Reduction::Mean ? 1.0 / static_cast<double>(self.numel()) : 1.0;
  const Tensor output = grad_input;
  auto iter = TensorIteratorConfig()
                  .add_output(output)
                  .add_const_input(self)
                  .add_const_input(target)
                  .add_const_input(grad_output)
                  .promote_inputs_to_common_dtype(true)
                  .cast_common_dtype_to_outputs(true)
                  .enforce_safe_casting_to_output(true)
                  .build();
  point_loss_backward_stub(iter.device_type(), iter, kind, parameter, norm);
  return output.defined() ? output : Tensor(iter.output());
}

void check_beta(double beta) {
  TORCH_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
}

void check_delta(double delta) {
  TORCH_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
}

} // namespace

Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return point_loss(self, target, reduction, PointLoss::Squared, 0);
}

Tensor& mse_loss_out(const Tensor& self, const Tensor& target, int64_t reduction, Tensor& result) {
  return point_loss_out(self, target, reduction, PointLoss::Squared, 0, result);
}

Tensor mse_loss_backward(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, int64_t reduction) {
  return point_loss_backward(grad_output, self, target, reduction, PointLoss::Squared, 0, Tensor());
}

Tensor& mse_loss_backward_out(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, int64_t reduction,
    Tensor& grad_input) {
  point_loss_backward(grad_output, self, target, reduction, PointLoss::Squared, 0, grad_input);
  return grad_input;
}

Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
  check_beta(beta);
  return point_loss(self, target, reduction, PointLoss::SmoothL1, beta);
}

Tensor& smooth_l1_loss_out(
    const Tensor& self, const Tensor& target, int64_t reduction, double beta, Tensor& result) {
  check_beta(beta);
  return point_loss_out(self, target, reduction, PointLoss::SmoothL1, beta, result);
}

Tensor smooth_l1_loss_backward(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, int64_t reduction,
    double beta) {
  return point_loss_backward(
      grad_output, self, target, reduction, PointLoss::SmoothL1, beta, Tensor());
}

Tensor& smooth_l1_loss_backward_out(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, int64_t reduction,
    double beta, Tensor& grad_input) {
  point_loss_backward(grad_output, self, target, reduction, PointLoss::SmoothL1, beta, grad_input);
  return grad_input;
}

Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  check_delta(delta);
  return point_loss(self, target, reduction, PointLoss::Huber, delta);
}

Tensor& huber_loss_out(
    const Tensor& self, const Tensor& target, int64_t reduction, double delta, Tensor& result) {
  check_delta(delta);
  return point_loss_out(self, target, reduction, PointLoss::Huber, delta, result);
}

Tensor huber_loss_backward(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, int64_t reduction,
    double delta) {
  return point_loss_backward(
      grad_output, self, target, reduction, PointLoss::Huber, delta, Tensor());
}

Tensor& huber_loss_backward_out(
    const Tensor& grad_output, const Tensor& self, const Tensor& target, int64_t reduction,
    double delta, Tensor& grad_input) {
  point_loss_backward(grad_output, self, target, reduction, PointLoss::Huber, delta, grad_input);
  return grad_input;
}

} // namespace at::native
