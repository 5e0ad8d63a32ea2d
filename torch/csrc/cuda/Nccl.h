#pragma once
#include <torch/csrc/python_headers.h>

namespace torch::cuda {

// torch._C's functions of torch.cuda.nccl.
extern PyMethodDef nccl_methods[];

} // namespace torch::cuda
