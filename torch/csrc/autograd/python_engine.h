#pragma once
// The engine as Python calls it.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

// Makes torch._C._ImperativeEngine, and Python's engine the one that backward uses.
bool THPEngine_initModule(PyObject* module);

} // namespace torch::autograd
