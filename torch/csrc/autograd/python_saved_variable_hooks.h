#pragma once
// Pack and unpack hooks for saved tensors, implemented in Python.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <memory>
#include <optional>
#include <string>

namespace torch::autograd {

class PySavedVariableHooks final : public SavedVariableHooks {
 public:
  PySavedVariableHooks(PyObject* pack_hook, PyObject* unpack_hook);
  ~PySavedVariableHooks() override;
  void call_pack_hook(const at::Tensor& tensor) override;
  at::Tensor call_unpack_hook() override;

 private:
  PyObject* pack_hook_;
  PyObject* unpack_hook_;
  PyObject* packed_ = nullptr;
};

// The hooks applied to every tensor that this thread saves: the innermost pair of a stack.
struct PyDefaultSavedVariableHooks {
  static void push_hooks(PyObject* pack_hook, PyObject* unpack_hook);
  static void pop_hooks();
  static std::unique_ptr<SavedVariableHooks> get_hooks();
  // If a message is set, pushing hooks raises it.
  static void disable(const std::optional<std::string>& message);
  static const std::optional<std::string>& disabled_message();
};

} // namespace torch::autograd
