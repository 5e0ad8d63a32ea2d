#pragma once
// What a build with CUDA adds to torch._C. A build without it has the same functions from
// torch/csrc/no_cuda.
#include <torch/csrc/python_headers.h>

// The functions of torch._C on CUDA devices; ends with an empty entry.
PyMethodDef* THCPModule_methods();

namespace torch::cuda {

// Adds the CUDA classes and modules to torch._C.
bool initModule(PyObject* module);

// Prepares CUDA for its first use, as torch.cuda.init() does. Throws python_error if this build or
// this machine has no CUDA, and in a process that was forked after CUDA had started.
void lazy_init();

} // namespace torch::cuda
