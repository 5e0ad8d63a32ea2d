#include <torch/csrc/autograd/python_functionalization.h>

#include <ATen/FunctionalTensorWrapper.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch::autograd {
namespace {

namespace functional = at::functionalization::impl;

PyObject* to_functional_tensor(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  return wrap(functional::to_functional_tensor(tensor_argument(tensor)));
  END_HANDLE_TH_ERRORS
}

PyObject* from_functional_tensor(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  return wrap(functional::from_functional_tensor(tensor_argument(tensor)));
  END_HANDLE_TH_ERRORS
}

PyObject* is_functional_tensor(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  return PyBool_FromLong(functional::isFunctionalTensor(tensor_argument(tensor)));
  END_HANDLE_TH_ERRORS
}

PyObject* sync(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  functional::unsafeGetFunctionalWrapper(tensor_argument(tensor))->sync_();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* freeze(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  functional::freeze_functional_tensor(tensor_argument(tensor));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* level_of(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  const auto* wrapper = functional::wrapper_of(tensor_argument(tensor));
  return PyLong_FromLongLong(wrapper ? wrapper->level() : 0);
  END_HANDLE_TH_ERRORS
}

PyObject* mutation_counter(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  const auto* wrapper = functional::unsafeGetFunctionalWrapper(tensor_argument(tensor));
  return PyLong_FromUnsignedLongLong(wrapper->functional_storage_impl()->mutation_counter());
  END_HANDLE_TH_ERRORS
}

PyObject* has_metadata_mutation(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  const auto* wrapper = functional::unsafeGetFunctionalWrapper(tensor_argument(tensor));
  return PyBool_FromLong(wrapper->has_metadata_mutation());
  END_HANDLE_TH_ERRORS
}

PyObject* was_storage_changed(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  const auto* wrapper = functional::unsafeGetFunctionalWrapper(tensor_argument(tensor));
  return PyBool_FromLong(wrapper->was_storage_changed());
  END_HANDLE_TH_ERRORS
}

PyObject* enable(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  int reapply_views = 0;
  const char* names[] = {"reapply_views", nullptr};
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|$p:_enable_functionalization", const_cast<char**>(names),
          &reapply_views)) {
    return nullptr;
  }
  return PyLong_FromLongLong(functional::enter_level(reapply_views != 0));
  END_HANDLE_TH_ERRORS
}

PyObject* disable(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  functional::exit_level();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef functionalization_methods[] = {
    {"_to_functional_tensor", to_functional_tensor, METH_O, nullptr},
    {"_from_functional_tensor", from_functional_tensor, METH_O, nullptr},
    {"_is_functional_tensor", is_functional_tensor, METH_O, nullptr},
    {"_sync", sync, METH_O, nullptr},
    {"_freeze_functional_tensor", freeze, METH_O, nullptr},
    {"_functionalization_level", level_of, METH_O, nullptr},
    {"_functionalize_mutation_counter", mutation_counter, METH_O, nullptr},
    {"_functionalize_has_metadata_mutation", has_metadata_mutation, METH_O, nullptr},
    {"_functionalize_was_storage_changed", was_storage_changed, METH_O, nullptr},
    {"_enable_functionalization",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(enable)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {"_disable_functionalization", disable, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::autograd
