// The part of torch._C for lazy tensors, in a build without them.
#include <torch/csrc/lazy/python/init.h>

namespace torch::lazy {

bool initLazyBindings(PyObject*) {
  return true;
}

} // namespace torch::lazy
