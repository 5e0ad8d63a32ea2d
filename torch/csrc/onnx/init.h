#pragma once
// torch._C._onnx: ONNX's numbers for element types, and the exporter's modes.
#include <torch/csrc/python_headers.h>

namespace torch::onnx {

bool initONNXBindings(PyObject* module);

} // namespace torch::onnx
