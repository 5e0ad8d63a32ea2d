#pragma once
// The functions of torch._C on the memory of CUDA devices.
#include <torch/csrc/python_headers.h>

namespace torch::cuda {

extern PyMethodDef memory_methods[];

} // namespace torch::cuda
