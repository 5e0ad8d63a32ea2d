#pragma once
// torch._C._onnx: the numbers that ONNX gives to element types, and the exporter's modes.
#include <torch/csrc/python_headers.h>

namespace torch::onnx {

bool initONNXBindings(PyObject* module);

} // namespace torch::onnx
