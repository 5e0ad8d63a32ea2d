#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace torch::autograd {

using Variable = at::Tensor;
using variable_list = std::vector<Variable>;

// Receives the gradients of a node before it runs and returns those to run with.
struct TORCH_API FunctionPreHook {
  virtual ~FunctionPreHook();
  virtual variable_list operator()(const variable_list& grads) = 0;
};

// Receives a node's results and its inputs; returns the results to pass on.
struct TORCH_API FunctionPostHook {
  virtual ~FunctionPostHook();
  virtual variable_list operator()(const variable_list& outputs, const variable_list& inputs) = 0;
};

// Runs after a leaf's .grad has been written.
struct TORCH_API PostAccumulateGradHook {
  virtual ~PostAccumulateGradHook();
  virtual void operator()(const Variable& tensor) = 0;
};

} // namespace torch::autograd
