#pragma once
// The functions of torch._C that record where the memory of CUDA devices was allocated.
#include <torch/csrc/python_headers.h>

#include <c10/cuda/CUDACachingAllocator.h>

namespace torch::cuda {

// A list of dictionaries, the innermost call first; empty without a context.
PyObject* frames_of(const c10::cuda::CUDACachingAllocator::Context& context);

PyObject* record_memory_history(PyObject*, PyObject* args);
PyObject* set_memory_metadata(PyObject*, PyObject* text);
PyObject* get_memory_metadata(PyObject*, PyObject*);

} // namespace torch::cuda
