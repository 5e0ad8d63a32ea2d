#pragma once
// Wraps results of operators as Python objects: returns new references, throws python_error if
// Python is out of memory.
#include <ATen/core/Tensor.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/autograd/python_return_types.h>
#include <torch/csrc/utils/python_numbers.h>

#include <tuple>
#include <vector>

namespace torch::autograd {

inline PyObject* wrap(at::Tensor&& tensor) {
  return checked(THPVariable_Wrap(std::move(tensor)));
}
inline PyObject* wrap(const at::Tensor& tensor) {
  return checked(THPVariable_Wrap(tensor));
}
inline PyObject* wrap(bool value) {
  return Py_NewRef(value ? Py_True : Py_False);
}
inline PyObject* wrap(int64_t value) {
  return checked(PyLong_FromLongLong(value));
}
inline PyObject* wrap(double value) {
  return checked(PyFloat_FromDouble(value));
}
inline PyObject* wrap(at::ScalarType type) {
  return Py_NewRef(THPDtype_Get(type));
}
inline PyObject* wrap(const at::Scalar& scalar) {
  return wrap_scalar(scalar);
}
PyObject* wrap(at::ArrayRef<at::Tensor> tensors);
inline PyObject* wrap(std::vector<at::Tensor>&& tensors) {
  return wrap(at::ArrayRef<at::Tensor>(tensors));
}

namespace detail {
// Moves the tensors into the fields of `tuple`.
template <typename... Ts, size_t... I>
PyObject* fill_tuple(PyObject* tuple, std::tuple<Ts...>&& values, std::index_sequence<I...>) {
  (PyTuple_SET_ITEM(tuple, I, wrap(std::get<I>(std::move(values)))), ...);
  return tuple;
}
} // namespace detail

template <typename... Ts>
PyObject* wrap(std::tuple<Ts...>&& values) {
  return detail::fill_tuple(
      checked(PyTuple_New(sizeof...(Ts))), std::move(values), std::index_sequence_for<Ts...>());
}
template <typename... Ts>
PyObject* wrap(const ReturnType& type, std::tuple<Ts...>&& values) {
  return detail::fill_tuple(
      checked(PyStructSequence_New(type.type)), std::move(values),
      std::index_sequence_for<Ts...>());
}

} // namespace torch::autograd
