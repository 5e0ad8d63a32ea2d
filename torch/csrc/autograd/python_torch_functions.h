#pragma once
// torch._C._VariableFunctions and the namespaces beside it: _nn, _linalg.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

bool initTorchFunctions(PyObject* module);
bool initNNFunctions(PyObject* module);

} // namespace torch::autograd
