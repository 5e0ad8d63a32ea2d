#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace torch::optim {

// What an optimizer remembers about one parameter: tensors by name, and the number of its steps.
struct ParameterState {
  std::map<std::string, Tensor> tensors;
  int64_t step = 0;
};

// The base of all optimizers: parameters, and what is remembered about each.
class Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;

  explicit Optimizer(std::vector<Tensor> parameters) : parameters_(std::move(parameters)) {
    for (const Tensor& parameter : parameters_) {
      TORCH_CHECK(parameter.is_leaf(), "can't optimize a non-leaf Tensor");
    }
  }
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  // Changes the parameters by their gradients, which the closure computes if there is one.
  Tensor step(const LossClosure& closure = nullptr) {
    Tensor loss;
    if (closure) {
      const AutoGradMode recording(true);
      loss = closure();
    }
    const NoGradGuard guard;
    for (Tensor& parameter : parameters_) {
      if (parameter.grad().defined()) {
        update(parameter, parameter.grad(), state_[parameter.unsafeGetTensorImpl()]);
      }
    }
    return loss;
  }

  void zero_grad(bool set_to_none = true) {
    for (Tensor& parameter : parameters_) {
      if (set_to_none) {
        parameter.mutable_grad().reset();
      } else if (parameter.grad().defined()) {
        parameter.mutable_grad().detach_().zero_();
      }
    }
  }

  const std::vector<Tensor>& parameters() const noexcept { return parameters_; }
  size_t size() const noexcept { return parameters_.size(); }

  // What is remembered about each parameter, in their order, for saving.
  std::vector<ParameterState> state() const {
    std::vector<ParameterState> result;
    for (const Tensor& parameter : parameters_) {
      const auto found = state_.find(parameter.unsafeGetTensorImpl());
      result.push_back(found == state_.end() ? ParameterState() : found->second);
    }
    return result;
  }
  void set_state(std::vector<ParameterState> states) {
    TORCH_CHECK(
        states.size() == parameters_.size(), "the state is that of ", states.size(),
        " parameters, but there are ", parameters_.size());
    for (size_t i = 0; i < states.size(); ++i) {
      state_[parameters_[i].unsafeGetTensorImpl()] = std::move(states[i]);
    }
  }

  virtual double learning_rate() const = 0;
  virtual void set_learning_rate(double lr) = 0;

 protected:
  // Changes one parameter.
  virtual void update(Tensor& parameter, Tensor gradient, ParameterState& state) = 0;

  std::vector<Tensor> parameters_;

 private:
  std::unordered_map<c10::TensorImpl*, ParameterState> state_;
};

} // namespace torch::optim
