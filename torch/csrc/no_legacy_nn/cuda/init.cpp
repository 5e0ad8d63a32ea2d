// The legacy kernels' part of torch._C for CUDA devices in a build without them.
#include <torch/csrc/nn/init.h>

namespace torch::nn {

bool init__THCUNN(PyObject*) {
  return true;
}

} // namespace torch::nn
