#pragma once

#include <torch/csrc/autograd/function_hook.h>

#include <memory>

namespace torch::autograd {

// The C++ hooks of a tensor, by position; removing one leaves a hole.
using hooks_list = std::vector<std::unique_ptr<at::TensorHook>>;

// Runs a tensor's C++ hooks on its gradient, which is one of a node's gradients.
struct CppFunctionTensorPreHook final : FunctionPreHook {
  CppFunctionTensorPreHook(std::shared_ptr<hooks_list> hooks, size_t value_idx);
  variable_list operator()(const variable_list& values) override;

  std::shared_ptr<hooks_list> hooks_;
  size_t value_idx_;
};

// The same for a single hook that must run last: retain_grad's.
struct CppFunctionSingleTensorPreHook final : FunctionPreHook {
  CppFunctionSingleTensorPreHook(std::unique_ptr<at::TensorHook> hook, size_t value_idx);
  variable_list operator()(const variable_list& values) override;

  std::unique_ptr<at::TensorHook> hook_;
  size_t value_idx_;
};

} // namespace torch::autograd
