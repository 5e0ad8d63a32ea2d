#pragma once
// Hooks that are Python functions. Each object represents a dictionary of hooks, which the handles
// returned to Python modify.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/function_hook.h>

namespace torch::autograd {

// A reference to a dictionary of hooks that C++ owns.
class HookDict {
 public:
  explicit HookDict(PyObject* dict) : dict_(Py_NewRef(dict)) {}
  ~HookDict();
  HookDict(const HookDict&) = delete;
  HookDict& operator=(const HookDict&) = delete;

  PyObject* get() const { return dict_; }

 private:
  PyObject* dict_;
};

// Hooks of a tensor; they see its gradient, which is one of a node's gradients.
struct PyFunctionTensorPreHook final : FunctionPreHook {
  PyFunctionTensorPreHook(PyObject* dict, size_t value_idx);
  variable_list operator()(const variable_list& values) override;

  HookDict dict;
  size_t value_idx;
};

// Hooks of a node that run before it.
struct PyFunctionPreHook final : FunctionPreHook {
  explicit PyFunctionPreHook(PyObject* dict);
  variable_list operator()(const variable_list& values) override;

  HookDict dict;
};

// Hooks of a node that run after it.
struct PyFunctionPostHook final : FunctionPostHook {
  explicit PyFunctionPostHook(PyObject* dict);
  variable_list operator()(const variable_list& outputs, const variable_list& inputs) override;

  HookDict dict;
};

// Hooks of a leaf that run after its .grad has been written.
struct PyFunctionTensorPostAccGradHooks final : PostAccumulateGradHook {
  explicit PyFunctionTensorPostAccGradHooks(PyObject* dict);
  void operator()(const Variable& tensor) override;

  HookDict dict;
};

} // namespace torch::autograd
