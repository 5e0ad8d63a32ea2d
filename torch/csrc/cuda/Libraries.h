#pragma once
// What torch._C sets and asks of NVIDIA's libraries.
#include <torch/csrc/python_headers.h>

namespace torch::cuda {

extern PyMethodDef library_methods[];

} // namespace torch::cuda
