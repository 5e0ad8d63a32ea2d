#pragma once

#include <torch/csrc/python_headers.h>

namespace torch::cuda {

// Pools of memory, and allocators from shared libraries.
extern PyMethodDef pool_methods[];

} // namespace torch::cuda
