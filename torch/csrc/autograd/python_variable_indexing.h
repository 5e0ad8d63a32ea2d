#pragma once
// tensor[index] and tensor[index] = value
#include <torch/csrc/autograd/python_variable.h>

namespace torch::autograd {

PyObject* variable_getitem(PyObject* self, PyObject* index);
int variable_setitem(PyObject* self, PyObject* index, PyObject* value);

} // namespace torch::autograd
