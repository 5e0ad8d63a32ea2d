#include <torch/csrc/autograd/python_saved_variable_hooks.h>

#include <c10/core/AutogradState.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>

#include <vector>

namespace torch::autograd {

PySavedVariableHooks::PySavedVariableHooks(PyObject* pack_hook, PyObject* unpack_hook)
    : pack_hook_(Py_NewRef(pack_hook)), unpack_hook_(Py_NewRef(unpack_hook)) {}

PySavedVariableHooks::~PySavedVariableHooks() {
  drop_with_gil(pack_hook_);
  drop_with_gil(unpack_hook_);
  drop_with_gil(packed_);
}

void PySavedVariableHooks::call_pack_hook(const at::Tensor& tensor) {
  with_gil([&] {
    const THPObjectPtr wrapped(wrap(tensor));
    Py_XSETREF(packed_, checked(PyObject_CallOneArg(pack_hook_, wrapped.get())));
  });
}

at::Tensor PySavedVariableHooks::call_unpack_hook() {
  return with_gil([&] {
    const THPObjectPtr result(checked(PyObject_CallOneArg(unpack_hook_, packed_)));
    TORCH_CHECK_TYPE(
        THPVariable_Check(result.get()),
        "Output of saved tensor unpack_hook expected to be a Tensor but got result of type ",
        Py_TYPE(result.get())->tp_name);
    return THPVariable_Unpack(result.get());
  });
}

namespace {

struct HookPair {
  PyObject* pack;
  PyObject* unpack;
};

struct Defaults {
  std::vector<HookPair> stack;
  std::optional<std::string> disabled;
};

Defaults& defaults() {
  static thread_local Defaults of_thread;
  return of_thread;
}

} // namespace

void PyDefaultSavedVariableHooks::push_hooks(PyObject* pack_hook, PyObject* unpack_hook) {
  Defaults& here = defaults();
  TORCH_CHECK(!here.disabled, *here.disabled);
  here.stack.push_back({Py_NewRef(pack_hook), Py_NewRef(unpack_hook)});
  c10::autograd_state.saved_tensor_hooks = true;
}

void PyDefaultSavedVariableHooks::pop_hooks() {
  auto& stack = defaults().stack;
  TORCH_CHECK(!stack.empty(), "there are no saved tensor hooks to pop");
  const HookPair last = stack.back();
  stack.pop_back();
  c10::autograd_state.saved_tensor_hooks = !stack.empty();
  Py_DECREF(last.pack);
  Py_DECREF(last.unpack);
}

std::unique_ptr<SavedVariableHooks> PyDefaultSavedVariableHooks::get_hooks() {
  const auto& stack = defaults().stack;
  if (stack.empty()) return nullptr;
  const HoldGil gil;
  return std::make_unique<PySavedVariableHooks>(stack.back().pack, stack.back().unpack);
}

void PyDefaultSavedVariableHooks::disable(const std::optional<std::string>& message) {
  Defaults& here = defaults();
  TORCH_CHECK(!message || here.stack.empty(), message.value_or(""));
  here.disabled = message;
}

const std::optional<std::string>& PyDefaultSavedVariableHooks::disabled_message() {
  return defaults().disabled;
}

} // namespace torch::autograd
