#pragma once
// The engine, as called from Python.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

// Creates torch._C._ImperativeEngine and makes the Python engine the one that backward uses.
bool THPEngine_initModule(PyObject* module);

} // namespace torch::autograd
