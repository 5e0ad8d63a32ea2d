#pragma once
#include <torch/csrc/python_headers.h>

namespace torch::cuda {

// Compiling, loading and launching kernels at run time.
extern PyMethodDef runtime_kernel_methods[];

} // namespace torch::cuda
