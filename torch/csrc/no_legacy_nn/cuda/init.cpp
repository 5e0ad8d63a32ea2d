// The part of torch._C for the legacy CUDA kernels, in a build without them.
#include <torch/csrc/nn/init.h>

namespace torch::nn {

bool init__THCUNN(PyObject*) {
  return true;
}

} // namespace torch::nn
