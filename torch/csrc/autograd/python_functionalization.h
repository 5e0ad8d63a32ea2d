#pragma once
// Functional tensors for Python: torch.func.functionalize is written with these functions.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

extern PyMethodDef functionalization_methods[];

} // namespace torch::autograd
