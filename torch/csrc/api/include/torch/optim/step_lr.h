#pragma once

#include <torch/optim/optimizer.h>

namespace torch::optim {

// Multiplies the learning rate by gamma after every step_size steps.
class StepLR {
 public:
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1)
      : optimizer_(optimizer), step_size_(step_size), gamma_(gamma) {
    TORCH_CHECK(step_size > 0, "step_size must be positive");
  }
  void step() {
    if (++steps_ % step_size_ == 0) {
      optimizer_.set_learning_rate(optimizer_.learning_rate() * gamma_);
    }
  }

 private:
  Optimizer& optimizer_;
  unsigned step_size_;
  unsigned steps_ = 0;
  double gamma_;
};

} // namespace torch::optim
