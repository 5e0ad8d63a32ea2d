#pragma once
// The functions of torch._C on memory that processes share.
#include <torch/csrc/python_headers.h>

namespace torch::cuda {

extern PyMethodDef ipc_methods[];

} // namespace torch::cuda
