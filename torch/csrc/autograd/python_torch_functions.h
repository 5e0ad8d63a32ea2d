#pragma once
// torch._C._VariableFunctions and its sibling modules, one for each python_module of
// native_functions.yaml.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

bool initTorchFunctions(PyObject* module);
bool initNNFunctions(PyObject* module);
bool initFFTFunctions(PyObject* module);
bool initLinalgFunctions(PyObject* module);
bool initNestedFunctions(PyObject* module);
bool initSparseFunctions(PyObject* module);
bool initSpecialFunctions(PyObject* module);

} // namespace torch::autograd
