#pragma once
// The values that nodes have saved, as attributes of their Python objects: `grad_fn._saved_self`.
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/python_headers.h>

#include <optional>
#include <string>
#include <vector>

namespace torch::autograd {

// Returns a saved value as a new Python object. Throws if a tensor has been released.
PyObject* wrap_saved(const SavedVariable& saved, Node* node);
PyObject* wrap_saved(const saved_variable_list& saved, Node* node);
PyObject* wrap_saved(bool value, Node*);
PyObject* wrap_saved(int64_t value, Node*);
PyObject* wrap_saved(double value, Node*);
PyObject* wrap_saved(const at::Scalar& value, Node*);
PyObject* wrap_saved(const std::string& value, Node*);
PyObject* wrap_saved(at::IntArrayRef values, Node*);
PyObject* wrap_saved(const std::vector<double>& values, Node*);
PyObject* wrap_saved(const std::vector<at::Scalar>& values, Node*);
template <typename T>
PyObject* wrap_saved(const std::optional<T>& value, Node* node) {
  return value.has_value() ? wrap_saved(*value, node) : Py_NewRef(Py_None);
}

// Returns the SavedTensor objects for the variables themselves, on which hooks are set.
PyObject* wrap_raw_saved(SavedVariable& saved, PyObject* grad_fn);
PyObject* wrap_raw_saved(saved_variable_list& saved, PyObject* grad_fn);

namespace detail {
template <typename NodeType, typename T>
T& field_of(PyObject* grad_fn, T NodeType::*field) {
  return static_cast<NodeType&>(*reinterpret_cast<THPCppFunction*>(grad_fn)->cdata).*field;
}
} // namespace detail

// Getters of a single field, for a PyGetSetDef.
template <auto field>
PyObject* get_saved(PyObject* grad_fn, void*) {
  HANDLE_TH_ERRORS
  Node* node = reinterpret_cast<THPCppFunction*>(grad_fn)->cdata.get();
  return wrap_saved(detail::field_of(grad_fn, field), node);
  END_HANDLE_TH_ERRORS
}
template <auto field>
PyObject* get_raw_saved(PyObject* grad_fn, void*) {
  HANDLE_TH_ERRORS
  return wrap_raw_saved(detail::field_of(grad_fn, field), grad_fn);
  END_HANDLE_TH_ERRORS
}

} // namespace torch::autograd
