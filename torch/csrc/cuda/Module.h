#pragma once
// What a build with CUDA adds to torch._C. A build without it has the same functions from
// torch/csrc/no_cuda.
#include <c10/core/Device.h>
#include <torch/csrc/python_headers.h>

// The functions of torch._C on CUDA devices; ends with an empty entry.
PyMethodDef* THCPModule_methods();

namespace torch::cuda {

// Adds the CUDA classes and modules to torch._C.
bool initModule(PyObject* module);

// Prepares CUDA for its first use, as torch.cuda.init() does. Throws python_error if this build or
// this machine has no CUDA, and in a process that was forked after CUDA had started.
void lazy_init();

// Makes the current stream of a device wait for the work in another library's cudaStream_t; 1 is
// the legacy default stream. Does nothing while a graph is captured: a captured stream cannot wait
// for work outside the graph.
void wait_for_stream_of_another_library(unsigned long long handle, c10::DeviceIndex device);

} // namespace torch::cuda
