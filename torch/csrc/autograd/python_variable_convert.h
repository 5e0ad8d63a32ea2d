#pragma once
// Converts tensors to Python values: item(), tolist(), int(), bool(), iteration.
#include <torch/csrc/autograd/python_variable.h>

namespace torch::autograd {

// Returns the only element as a Python number; throws unless there is exactly one.
PyObject* item_of(const at::Tensor& tensor);
// Returns nested lists, or a number for a 0-dim tensor.
PyObject* list_of(const at::Tensor& tensor);

int variable_bool(PyObject* self);
PyObject* variable_int(PyObject* self);
PyObject* variable_float(PyObject* self);
PyObject* variable_index(PyObject* self);
Py_ssize_t variable_length(PyObject* self);
int variable_contains(PyObject* self, PyObject* element);

} // namespace torch::autograd
