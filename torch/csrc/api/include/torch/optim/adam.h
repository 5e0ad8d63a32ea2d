#pragma once

#include <torch/arg.h>
#include <torch/optim/optimizer.h>

#include <cmath>
#include <tuple>

namespace torch::optim {

struct AdamOptions {
  using Betas = std::tuple<double, double>;

  AdamOptions(double lr = 1e-3) : lr_(lr) {} // NOLINT(google-explicit-constructor)
  TORCH_ARG(double, lr);
  TORCH_ARG(Betas, betas) = std::make_tuple(0.9, 0.999);
  TORCH_ARG(double, eps) = 1e-8;
  TORCH_ARG(double, weight_decay) = 0;
};
using AdamWOptions = AdamOptions;

// Adam (Kingma and Ba, 2015): x -= lr m / (sqrt(v) + eps), with the moments m of the gradient and v
// of its square corrected for their start at zero.
class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<Tensor> parameters, AdamOptions defaults = {})
      : Adam(std::move(parameters), defaults, /*decoupled=*/false) {}

  AdamOptions& options() noexcept { return options_; }
  double learning_rate() const override { return options_.lr(); }
  void set_learning_rate(double lr) override { options_.lr(lr); }

 protected:
  Adam(std::vector<Tensor> parameters, AdamOptions defaults, bool decoupled)
      : Optimizer(std::move(parameters)), options_(defaults), decoupled_(decoupled) {
    const auto [first, second] = options_.betas();
    TORCH_CHECK(options_.lr() >= 0, "Invalid learning rate: ", options_.lr());
    TORCH_CHECK(options_.eps() >= 0, "Invalid epsilon value: ", options_.eps());
    TORCH_CHECK(first >= 0 && first < 1, "Invalid beta parameter at index 0: ", first);
    TORCH_CHECK(second >= 0 && second < 1, "Invalid beta parameter at index 1: ", second);
  }

  void update(Tensor& parameter, Tensor gradient, ParameterState& state) override {
    if (decoupled_) {
      parameter.mul_(1 - options_.lr() * options_.weight_decay());
    } else if (options_.weight_decay() != 0) {
      gradient = gradient.add(parameter, options_.weight_decay());
    }
    Tensor& mean = state.tensors["exp_avg"];
    Tensor& square = state.tensors["exp_avg_sq"];
    if (!mean.defined()) {
      mean = torch::zeros_like(parameter);
      square = torch::zeros_like(parameter);
    }
    const auto [first, second] = options_.betas();
    const auto step = static_cast<double>(++state.step);
    mean.mul_(first).add_(gradient, 1 - first);
    square.mul_(second).addcmul_(gradient, gradient, 1 - second);
    const double correction = std::sqrt(1 - std::pow(second, step));
    const Tensor scale = (square.sqrt() / correction).add_(options_.eps());
    parameter.addcdiv_(mean, scale, -options_.lr() / (1 - std::pow(first, step)));
  }

 private:
  AdamOptions options_;
  bool decoupled_;
};

// Adam with a weight decay that does not pass through the moments.
class AdamW : public Adam {
 public:
  explicit AdamW(
      std::vector<Tensor> parameters, AdamWOptions defaults = AdamWOptions().weight_decay(1e-2))
      : Adam(std::move(parameters), defaults, /*decoupled=*/true) {}
};

} // namespace torch::optim
