#pragma once
// torch._C._THNN: the kernels of BUILD_LEGACY_NN as functions, such as FloatAbs_updateOutput. A
// build without it has the same function from torch/csrc/no_legacy_nn.
#include <torch/csrc/python_headers.h>

namespace torch::nn {

bool init__THNN(PyObject* module);

} // namespace torch::nn
