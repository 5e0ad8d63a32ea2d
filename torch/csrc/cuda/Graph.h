#pragma once
// torch._C._CUDAGraph, the base of torch.cuda.CUDAGraph.
#include <torch/csrc/python_headers.h>

bool THCPGraph_init(PyObject* module);

namespace torch::cuda {
extern PyMethodDef graph_methods[];
} // namespace torch::cuda
