#pragma once
// torch._C._VariableFunctions and its sibling modules, one for each python_module of
// native_functions.yaml.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

bool initTorchFunctions(PyObject* module);
bool initOperatorModules(PyObject* module);

} // namespace torch::autograd
