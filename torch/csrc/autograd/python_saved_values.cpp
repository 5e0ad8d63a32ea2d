#include <torch/csrc/autograd/python_saved_values.h>

#include <torch/csrc/autograd/python_saved_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch::autograd {

namespace {

template <typename List, typename Wrap>
PyObject* wrap_tuple(List&& list, const Wrap& wrap_element) {
  THPObjectPtr tuple(checked(PyTuple_New(static_cast<Py_ssize_t>(list.size()))));
  Py_ssize_t index = 0;
  for (auto& each : list) {
    PyTuple_SET_ITEM(tuple.get(), index++, wrap_element(each));
  }
  return tuple.release();
}

} // namespace

PyObject* wrap_saved(const SavedVariable& saved, Node* node) {
  at::Tensor tensor = saved.unpack(node);
  return tensor.defined() ? wrap(std::move(tensor)) : Py_NewRef(Py_None);
}

PyObject* wrap_saved(const saved_variable_list& saved, Node* node) {
  return wrap_tuple(saved, [&](const SavedVariable& each) { return wrap_saved(each, node); });
}

PyObject* wrap_saved(bool value, Node*) {
  return wrap(value);
}

PyObject* wrap_saved(int64_t value, Node*) {
  return wrap(value);
}

PyObject* wrap_saved(double value, Node*) {
  return wrap(value);
}

PyObject* wrap_saved(const at::Scalar& value, Node*) {
  return wrap_scalar(value);
}

PyObject* wrap_saved(const std::string& value, Node*) {
  return checked(PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
}

PyObject* wrap_saved(at::IntArrayRef values, Node*) {
  return wrap_tuple(values, [](int64_t value) { return wrap(value); });
}

PyObject* wrap_saved(const std::vector<double>& values, Node*) {
  return wrap_tuple(values, [](double value) { return wrap(value); });
}

PyObject* wrap_saved(const std::vector<at::Scalar>& values, Node*) {
  return wrap_tuple(values, [](const at::Scalar& value) { return wrap_scalar(value); });
}

PyObject* wrap_raw_saved(SavedVariable& saved, PyObject* grad_fn) {
  return checked(THPSavedVariable_Wrap(saved, grad_fn));
}

PyObject* wrap_raw_saved(saved_variable_list& saved, PyObject* grad_fn) {
  return wrap_tuple(saved, [&](SavedVariable& each) { return wrap_raw_saved(each, grad_fn); });
}

} // namespace torch::autograd
