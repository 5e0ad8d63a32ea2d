#pragma once

#include <torch/arg.h>
#include <torch/optim/optimizer.h>

namespace torch::optim {

struct SGDOptions {
  SGDOptions(double lr) : lr_(lr) {} // NOLINT(google-explicit-constructor)
  TORCH_ARG(double, lr);
  TORCH_ARG(double, momentum) = 0;
  TORCH_ARG(double, dampening) = 0;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(bool, nesterov) = false;
};

// Stochastic gradient descent: x -= lr v with v = momentum v + (1 - dampening) g.
class SGD : public Optimizer {
 public:
  SGD(std::vector<Tensor> parameters, SGDOptions defaults)
      : Optimizer(std::move(parameters)), options_(defaults) {
    TORCH_CHECK(options_.lr() >= 0, "Invalid learning rate: ", options_.lr());
    TORCH_CHECK(options_.momentum() >= 0, "Invalid momentum value: ", options_.momentum());
    TORCH_CHECK(options_.weight_decay() >= 0, "Invalid weight_decay: ", options_.weight_decay());
    TORCH_CHECK(
        !options_.nesterov() || (options_.momentum() > 0 && options_.dampening() == 0),
        "Nesterov momentum requires a momentum and zero dampening");
  }

  SGDOptions& options() noexcept { return options_; }
  double learning_rate() const override { return options_.lr(); }
  void set_learning_rate(double lr) override { options_.lr(lr); }

 protected:
  void update(Tensor& parameter, Tensor gradient, ParameterState& state) override {
    if (options_.weight_decay() != 0) gradient = gradient.add(parameter, options_.weight_decay());
    if (options_.momentum() != 0) {
      Tensor& buffer = state.tensors["momentum_buffer"];
      if (buffer.defined()) {
        buffer.mul_(options_.momentum()).add_(gradient, 1 - options_.dampening());
      } else {
        buffer = gradient.clone();
      }
      gradient = options_.nesterov() ? gradient.add(buffer, options_.momentum()) : buffer;
    }
    ++state.step;
    parameter.add_(gradient, -options_.lr());
  }

 private:
  SGDOptions options_;
};

} // namespace torch::optim
