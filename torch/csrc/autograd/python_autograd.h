#pragma once
// Autograd's switches, and torch._C._autograd.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

// Functions of torch._C, terminated by an empty row.
PyMethodDef* python_functions();

// Makes torch._C._autograd and torch._C._InferenceMode.
bool THPAutograd_init(PyObject* module);

} // namespace torch::autograd
