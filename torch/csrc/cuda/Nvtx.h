#pragma once
// torch._C._nvtx: marks and ranges for NVIDIA's profilers.
#include <torch/csrc/python_headers.h>

namespace torch::cuda {

bool initNvtxBindings(PyObject* module);

} // namespace torch::cuda
