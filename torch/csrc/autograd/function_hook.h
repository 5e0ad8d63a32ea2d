#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace torch::autograd {

using Variable = at::Tensor;
using variable_list = std::vector<Variable>;

// Sees the gradients that come to a node before it runs, and returns those it runs with.
struct TORCH_API FunctionPreHook {
  virtual ~FunctionPreHook();
  virtual variable_list operator()(const variable_list& grads) = 0;
};

// Sees what a node computed and what it was given; returns what goes on.
struct TORCH_API FunctionPostHook {
  virtual ~FunctionPostHook();
  virtual variable_list operator()(const variable_list& outputs, const variable_list& inputs) = 0;
};

// Sees a leaf after its .grad has been written.
struct TORCH_API PostAccumulateGradHook {
  virtual ~PostAccumulateGradHook();
  virtual void operator()(const Variable& tensor) = 0;
};

} // namespace torch::autograd
