#include <ATen/native/FusedOptimizers.h>

#include <ATen/DeviceCheck.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_adadelta_native.h>
#include <ATen/ops/_fused_adagrad_native.h>
#include <ATen/ops/_fused_adam_native.h>
#include <ATen/ops/_fused_adamw_native.h>
#include <ATen/ops/_fused_rmsprop_native.h>
#include <ATen/ops/_fused_sgd_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty_like.h>

#include <initializer_list>
#include <vector>

namespace at::native {

DEFINE_DISPATCH(fused_sgd_stub);
DEFINE_DISPATCH(fused_adam_stub);
DEFINE_DISPATCH(fused_adagrad_stub);
DEFINE_DISPATCH(fused_rmsprop_stub);
DEFINE_DISPATCH(fused_adadelta_stub);

namespace {

bool same_order(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.strides() == b.strides();
}

// The parameters and their states as arrays with one memory order. Tensors with another layout are
// processed as copies; finish() copies back those that were written.
class Lists {
 public:
  Lists(const char* name, TensorList parameters, TensorList gradients) : name_(name) {
    arrays_.reserve(parameters.size());
    check_length(parameters, gradients, "grads");
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Tensor& parameter = parameters[i];
      check_like(parameter, gradients[i], "gradient");
      TORCH_CHECK(
          parameter.scalar_type() == parameters[0].scalar_type(), name_,
          ": parameters must have one dtype, got ", parameters[0].scalar_type(), " and ",
          parameter.scalar_type());
      const bool dense = parameter.is_non_overlapping_and_dense();
      order_.push_back(dense ? parameter : written(at::empty_like(parameter), parameter));
      OptimizerArrays arrays{};
      arrays.parameter = order_[i].mutable_data_ptr();
      arrays.gradient = in_order(i, gradients[i]).const_data_ptr();
      arrays.count = parameter.numel();
      arrays_.push_back(arrays);
    }
  }

  c10::DeviceType device_type() const {
    return order_.empty() ? c10::default_device_type : order_[0].device().type();
  }

  void add_states(TensorList tensors, const char* what) {
    TORCH_CHECK(
        tensors.size() == arrays_.size(), name_, ": expected one ", what, " for each of the ",
        arrays_.size(), " parameters, got ", tensors.size());
    for (size_t i = 0; i < arrays_.size(); ++i) {
      check_like(order_[i], tensors[i], what);
      const Tensor& state = same_order(order_[i], tensors[i])
          ? tensors[i]
          : written(at::empty_like(order_[i]), tensors[i]);
      arrays_[i].states[states_] = state.mutable_data_ptr();
    }
    ++states_;
  }

  void set_steps(TensorList steps) {
    TORCH_CHECK(
        steps.size() == arrays_.size(), name_, ": expected one step for each of the ",
        arrays_.size(), " parameters, got ", steps.size());
    for (size_t i = 0; i < arrays_.size(); ++i) {
      arrays_[i].step = steps[i].item<double>();
    }
  }

  c10::ArrayRef<OptimizerArrays> arrays() const { return arrays_; }
  ScalarType dtype() const { return order_[0].scalar_type(); }

  void finish() {
    for (const auto& [copy, original] : written_) {
      at::methods::copy_(original, copy);
    }
  }

 private:
  void check_length(TensorList parameters, TensorList others, const char* what) const {
    TORCH_CHECK(
        parameters.size() == others.size(), name_, ": expected ", parameters.size(), " ", what,
        ", got ", others.size());
  }
  void check_like(const Tensor& parameter, const Tensor& other, const char* what) const {
    DeviceCheck{name_}("parameter", parameter)(what, other);
    TORCH_CHECK(
        parameter.sizes() == other.sizes() && parameter.scalar_type() == other.scalar_type(), name_,
        ": a parameter of ", parameter.scalar_type(), " with sizes ", parameter.sizes(), " has a ",
        what, " of ", other.scalar_type(), " with sizes ", other.sizes());
  }
  // A read-only tensor in the memory order of parameter i.
  const Tensor& in_order(size_t i, const Tensor& tensor) {
    if (same_order(order_[i], tensor)) {
      return tensor;
    }
    return read_.emplace_back(at::methods::copy_(at::empty_like(order_[i]), tensor));
  }
  const Tensor& written(Tensor copy, const Tensor& original) {
    at::methods::copy_(copy, original);
    return written_.emplace_back(std::move(copy), original).first;
  }

  const char* name_;
  std::vector<Tensor> order_;
  std::vector<Tensor> read_;
  std::vector<std::pair<Tensor, Tensor>> written_;
  std::vector<OptimizerArrays> arrays_;
  int states_ = 0;
};

// Whether the gradient scaler found an overflow, in which case the step must be skipped.
bool overflowed(const std::optional<Tensor>& found_inf) {
  return found_inf.has_value() && found_inf->defined() && found_inf->item<double>() == 1.0;
}

void unscale(TensorList gradients, const std::optional<Tensor>& grad_scale) {
  if (grad_scale.has_value() && grad_scale->defined()) {
    for (const Tensor& gradient : gradients) {
      at::methods::div_(gradient, *grad_scale);
    }
  }
}

void step_adam(
    const char* name, TensorList self, TensorList grads, TensorList exp_avgs,
    TensorList exp_avg_sqs, TensorList max_exp_avg_sqs, TensorList state_steps,
    const AdamSettings& settings, const std::optional<Tensor>& grad_scale,
    const std::optional<Tensor>& found_inf) {
  if (self.empty() || overflowed(found_inf)) {
    return;
  }
  unscale(grads, grad_scale);
  Lists lists(name, self, grads);
  lists.add_states(exp_avgs, "exp_avg");
  lists.add_states(exp_avg_sqs, "exp_avg_sq");
  if (settings.amsgrad) {
    lists.add_states(max_exp_avg_sqs, "max_exp_avg_sq");
  }
  lists.set_steps(state_steps);
  fused_adam_stub(lists.device_type(), lists.arrays(), lists.dtype(), settings);
  lists.finish();
}

} // namespace

void _fused_sgd_kernel_cpu_(
    TensorList self, TensorList grads, TensorList momentum_buffer_list, double weight_decay,
    double momentum, double lr, double dampening, bool nesterov, bool maximize, bool is_first_step,
    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  if (self.empty() || overflowed(found_inf)) {
    return;
  }
  unscale(grads, grad_scale);
  Lists lists("_fused_sgd_", self, grads);
  if (momentum != 0) {
    lists.add_states(momentum_buffer_list, "momentum buffer");
  }
  const SgdSettings settings{weight_decay, momentum, lr,           dampening,
                             nesterov,     maximize, is_first_step};
  fused_sgd_stub(lists.device_type(), lists.arrays(), lists.dtype(), settings);
  lists.finish();
}

void _fused_sgd_kernel_cpu_(
    TensorList self, TensorList grads, TensorList momentum_buffer_list, double weight_decay,
    double momentum, const Tensor& lr, double dampening, bool nesterov, bool maximize,
    bool is_first_step, const std::optional<Tensor>& grad_scale,
    const std::optional<Tensor>& found_inf) {
  _fused_sgd_kernel_cpu_(
      self, grads, momentum_buffer_list, weight_decay, momentum, lr.item<double>(), dampening,
      nesterov, maximize, is_first_step, grad_scale, found_inf);
}

void _fused_adam_kernel_cpu_(
    TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
    TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1, double beta2,
    double weight_decay, double eps, bool amsgrad, bool maximize,
    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  const AdamSettings settings{lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, false};
  step_adam(
      "_fused_adam_", self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, settings,
      grad_scale, found_inf);
}

void _fused_adam_kernel_cpu_(
    TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
    TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr, double beta1,
    double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  _fused_adam_kernel_cpu_(
      self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr.item<double>(), beta1,
      beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf);
}

void _fused_adamw_kernel_cpu_(
    TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
    TensorList max_exp_avg_sqs, TensorList state_steps, double lr, double beta1, double beta2,
    double weight_decay, double eps, bool amsgrad, bool maximize,
    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  const AdamSettings settings{lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, true};
  step_adam(
      "_fused_adamw_", self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, settings,
      grad_scale, found_inf);
}

void _fused_adamw_kernel_cpu_(
    TensorList self, TensorList grads, TensorList exp_avgs, TensorList exp_avg_sqs,
    TensorList max_exp_avg_sqs, TensorList state_steps, const Tensor& lr, double beta1,
    double beta2, double weight_decay, double eps, bool amsgrad, bool maximize,
    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  _fused_adamw_kernel_cpu_(
      self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr.item<double>(), beta1,
      beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf);
}

void _fused_adagrad_kernel_cpu_(
    TensorList self, TensorList grads, TensorList state_sums, TensorList state_steps, double lr,
    double lr_decay, double weight_decay, double eps, bool maximize,
    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  if (self.empty() || overflowed(found_inf)) {
    return;
  }
  unscale(grads, grad_scale);
  Lists lists("_fused_adagrad_", self, grads);
  lists.add_states(state_sums, "sum");
  lists.set_steps(state_steps);
  const AdagradSettings settings{lr, lr_decay, weight_decay, eps, maximize};
  fused_adagrad_stub(lists.device_type(), lists.arrays(), lists.dtype(), settings);
  lists.finish();
}

void _fused_adagrad_kernel_cpu_(
    TensorList self, TensorList grads, TensorList state_sums, TensorList state_steps,
    const Tensor& lr, double lr_decay, double weight_decay, double eps, bool maximize,
    const std::optional<Tensor>& grad_scale, const std::optional<Tensor>& found_inf) {
  _fused_adagrad_kernel_cpu_(
      self, grads, state_sums, state_steps, lr.item<double>(), lr_decay, weight_decay, eps,
      maximize, grad_scale, found_inf);
}

void _fused_rmsprop_kernel_cpu_(
    TensorList self, TensorList grads, TensorList square_avgs, TensorList grad_avgs,
    TensorList momentum_buffer_list, double lr, double alpha, double eps, double weight_decay,
    double momentum, bool centered, bool maximize) {
  if (self.empty()) {
    return;
  }
  Lists lists("_fused_rmsprop_", self, grads);
  lists.add_states(square_avgs, "square_avg");
  if (centered) {
    lists.add_states(grad_avgs, "grad_avg");
  }
  if (momentum > 0) {
    lists.add_states(momentum_buffer_list, "momentum buffer");
  }
  const RmspropSettings settings{lr, alpha, eps, weight_decay, momentum, centered, maximize};
  fused_rmsprop_stub(lists.device_type(), lists.arrays(), lists.dtype(), settings);
  lists.finish();
}

void _fused_adadelta_kernel_cpu_(
    TensorList self, TensorList grads, TensorList square_avgs, TensorList acc_deltas, double lr,
    double rho, double eps, double weight_decay, bool maximize) {
  if (self.empty()) {
    return;
  }
  Lists lists("_fused_adadelta_", self, grads);
  lists.add_states(square_avgs, "square_avg");
  lists.add_states(acc_deltas, "acc_delta");
  const AdadeltaSettings settings{lr, rho, eps, weight_decay, maximize};
  fused_adadelta_stub(lists.device_type(), lists.arrays(), lists.dtype(), settings);
  lists.finish();
}

} // namespace at::native
