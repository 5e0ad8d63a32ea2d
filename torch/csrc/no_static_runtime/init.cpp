// The part of torch._C for generated steps of the static runtime, in a build without them.
#include <torch/csrc/jit/runtime/static/python/init.h>

namespace torch::jit::static_runtime {

bool init_bindings(PyObject*) {
  return true;
}

} // namespace torch::jit::static_runtime
