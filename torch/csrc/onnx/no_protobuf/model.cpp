// The functions for models of ONNX in a build without protocol buffers: none.
#include <torch/csrc/onnx/model.h>

namespace torch::onnx {

PyMethodDef* model_functions() {
  static PyMethodDef none[] = {{nullptr, nullptr, 0, nullptr}};
  return none;
}

} // namespace torch::onnx
