#pragma once
// torch._C._THNN and torch._C._THCUNN: the kernels of BUILD_LEGACY_NN as functions, such as
// FloatAbs_updateOutput and, for CUDA devices, CudaAbs_updateOutput. A build without them has the
// same initializers from torch/csrc/no_legacy_nn.
#include <torch/csrc/python_headers.h>

namespace torch::nn {

bool init__THNN(PyObject* module);
bool init__THCUNN(PyObject* module);

} // namespace torch::nn
