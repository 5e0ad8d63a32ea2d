#include <torch/csrc/autograd/cpp_hook.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <utility>

namespace at {
TensorHook::~TensorHook() = default;
}

namespace torch::autograd {

FunctionPreHook::~FunctionPreHook() = default;
FunctionPostHook::~FunctionPostHook() = default;
PostAccumulateGradHook::~PostAccumulateGradHook() = default;
SavedVariableHooks::~SavedVariableHooks() = default;

namespace {

// The value that a hook returns replaces the gradient and must have the same properties.
void check_result(const Variable& value, const Variable& result, size_t hook) {
  TORCH_CHECK(
      value.defined(), "can't replace an undefined gradient with a non-None value (hook ", hook,
      ")");
  TORCH_CHECK(
      result.scalar_type() == value.scalar_type() && result.device() == value.device(), "hook ",
      hook, " has changed the type of value (was ", value.toString(), " got ", result.toString(),
      ")");
  TORCH_CHECK(result.sizes() == value.sizes(), "hook ", hook, " has changed the size of value");
}

} // namespace

CppFunctionTensorPreHook::CppFunctionTensorPreHook(
    std::shared_ptr<hooks_list> hooks, size_t value_idx)
    : hooks_(std::move(hooks)), value_idx_(value_idx) {}

variable_list CppFunctionTensorPreHook::operator()(const variable_list& values) {
  Variable value = values[value_idx_];
  for (size_t i = 0; i < hooks_->size(); ++i) {
    at::TensorHook* hook = (*hooks_)[i].get();
    if (hook == nullptr) {
      continue;
    }
    Variable result = (*hook)(value);
    if (result.defined()) {
      check_result(value, result, i);
      value = std::move(result);
    }
  }
  variable_list results(values);
  results[value_idx_] = std::move(value);
  return results;
}

CppFunctionSingleTensorPreHook::CppFunctionSingleTensorPreHook(
    std::unique_ptr<at::TensorHook> hook, size_t value_idx)
    : hook_(std::move(hook)), value_idx_(value_idx) {}

variable_list CppFunctionSingleTensorPreHook::operator()(const variable_list& values) {
  const Variable& value = values[value_idx_];
  Variable result = (*hook_)(value);
  variable_list results(values);
  if (result.defined()) {
    check_result(value, result, 0);
    results[value_idx_] = std::move(result);
  }
  return results;
}

} // namespace torch::autograd
