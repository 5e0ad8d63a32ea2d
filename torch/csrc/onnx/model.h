#pragma once
// Models of ONNX as bytes and as Python dictionaries. A build without USE_ONNX has no such
// functions.
#include <torch/csrc/python_headers.h>

namespace torch::onnx {

// Functions of torch._C._onnx, terminated by an empty row.
PyMethodDef* model_functions();

} // namespace torch::onnx
