#pragma once
// What Python's own protocols ask of a tensor: int(), bool(), len(), iteration.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

int variable_bool(PyObject* self);
PyObject* variable_int(PyObject* self);
PyObject* variable_float(PyObject* self);
PyObject* variable_index(PyObject* self);
Py_ssize_t variable_length(PyObject* self);
int variable_contains(PyObject* self, PyObject* element);

} // namespace torch::autograd
