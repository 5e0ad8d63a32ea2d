#pragma once
// torch._C._lazy and torch._C._lazy_ts_backend, in a build with lazy tensors.
#include <torch/csrc/python_headers.h>

namespace torch::lazy {

bool initLazyBindings(PyObject* module);

} // namespace torch::lazy
