#include <torch/csrc/autograd/python_hook.h>

#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch::autograd {
namespace {

std::string name_of(PyObject* hook) {
  const THPObjectPtr name(PyObject_GetAttrString(hook, "__name__"));
  const char* text = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  if (text) return text;
  PyErr_Clear();
  return Py_TYPE(hook)->tp_name;
}

// A copy of the current hooks, because a hook may remove itself or add others.
THPObjectPtr hooks_of(const HookDict& dict) {
  THPObjectPtr values(checked(PyMapping_Values(dict.get())));
  return values;
}

// The value that a hook returns replaces the gradient and must have the same properties.
void check_single_result(PyObject* original, PyObject* result, PyObject* hook) {
  if (result == Py_None) return;
  if (original == Py_None) {
    throw_python(
        PyExc_RuntimeError, "can't replace a None gradient with a non-None value (hook '%s')",
        name_of(hook).c_str());
  }
  if (!THPVariable_Check(result)) {
    throw_python(
        PyExc_TypeError, "expected Variable, but hook returned '%s'", Py_TYPE(result)->tp_name);
  }
  const at::Tensor &before = THPVariable_Unpack(original), &now = THPVariable_Unpack(result);
  TORCH_CHECK(
      now.scalar_type() == before.scalar_type(), "hook '", name_of(hook),
      "' has changed the type of value (was ", before.toString(), " got ", now.toString(), ")");
  TORCH_CHECK(
      now.device() == before.device(), "hook '", name_of(hook),
      "' has changed the type of value (was on ", before.device(), " now on ", now.device(), ")");
  TORCH_CHECK(
      now.sizes() == before.sizes(), "hook '", name_of(hook), "' has changed the size of value");
}

void check_results(PyObject* original, PyObject* result, PyObject* hook) {
  if (!PyTuple_Check(result)) {
    throw_python(
        PyExc_TypeError, "expected tuple, but hook '%s' returned '%s'", name_of(hook).c_str(),
        Py_TYPE(result)->tp_name);
  }
  const Py_ssize_t expected = PyTuple_GET_SIZE(original), got = PyTuple_GET_SIZE(result);
  if (got != expected) {
    throw_python(
        PyExc_RuntimeError,
        "hook '%s' has returned an incorrect number of values (got %zd, but expected %zd)",
        name_of(hook).c_str(), got, expected);
  }
  for (Py_ssize_t i = 0; i < got; ++i)
    check_single_result(PyTuple_GET_ITEM(original, i), PyTuple_GET_ITEM(result, i), hook);
}

variable_list unwrap(PyObject* tuple) {
  const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
  variable_list values(static_cast<size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple, i);
    if (item != Py_None) values[static_cast<size_t>(i)] = THPVariable_Unpack(item);
  }
  return values;
}

// Passes `values` through the hooks; `inputs`, if given, is the second argument of each hook.
variable_list pass_through(const HookDict& dict, const variable_list& values, PyObject* inputs) {
  THPObjectPtr current(wrap(at::ArrayRef<at::Tensor>(values)));
  const THPObjectPtr hooks = hooks_of(dict);
  bool changed = false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(hooks.get()); ++i) {
    PyObject* hook = PyList_GET_ITEM(hooks.get(), i);
    THPObjectPtr result(
        checked(PyObject_CallFunctionObjArgs(hook, current.get(), inputs, nullptr)));
    if (result.get() == Py_None) continue;
    // A single gradient may be returned without a tuple.
    if (THPVariable_Check(result.get())) result = checked(PyTuple_Pack(1, result.get()));
    check_results(current.get(), result.get(), hook);
    current = std::move(result);
    changed = true;
  }
  return changed ? unwrap(current.get()) : values;
}

} // namespace

HookDict::~HookDict() {
  drop_with_gil(dict_);
}

PyFunctionTensorPreHook::PyFunctionTensorPreHook(PyObject* dict, size_t value_idx)
    : dict(dict), value_idx(value_idx) {}

variable_list PyFunctionTensorPreHook::operator()(const variable_list& values) {
  return with_gil([&] {
    THPObjectPtr value(wrap(values[value_idx]));
    const THPObjectPtr hooks = hooks_of(dict);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(hooks.get()); ++i) {
      PyObject* hook = PyList_GET_ITEM(hooks.get(), i);
      THPObjectPtr result(checked(PyObject_CallOneArg(hook, value.get())));
      if (result.get() == Py_None) continue;
      check_single_result(value.get(), result.get(), hook);
      value = std::move(result);
    }
    variable_list results(values);
    if (value.get() != Py_None) results[value_idx] = THPVariable_Unpack(value.get());
    return results;
  });
}

PyFunctionPreHook::PyFunctionPreHook(PyObject* dict) : dict(dict) {}

variable_list PyFunctionPreHook::operator()(const variable_list& values) {
  return with_gil([&] { return pass_through(dict, values, nullptr); });
}

PyFunctionPostHook::PyFunctionPostHook(PyObject* dict) : dict(dict) {}

variable_list PyFunctionPostHook::operator()(
    const variable_list& outputs, const variable_list& inputs) {
  return with_gil([&] {
    const THPObjectPtr given(wrap(at::ArrayRef<at::Tensor>(inputs)));
    return pass_through(dict, outputs, given.get());
  });
}

PyFunctionTensorPostAccGradHooks::PyFunctionTensorPostAccGradHooks(PyObject* dict) : dict(dict) {}

void PyFunctionTensorPostAccGradHooks::operator()(const Variable& tensor) {
  with_gil([&] {
    const THPObjectPtr value(wrap(tensor));
    const THPObjectPtr hooks = hooks_of(dict);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(hooks.get()); ++i) {
      const THPObjectPtr result(
          checked(PyObject_CallOneArg(PyList_GET_ITEM(hooks.get(), i), value.get())));
      if (result.get() != Py_None && result.get() != value.get()) {
        throw_python(PyExc_RuntimeError, "Tensor post accumulate grad hooks should return None.");
      }
    }
  });
}

} // namespace torch::autograd
