#pragma once
// A kernel of an operator as a Python object, for torch.library.get_kernel.
#include <torch/csrc/python_headers.h>

#include <ATen/core/dispatch/Dispatcher.h>

namespace torch {

// Returns the kernel that calls with a dispatch key run at this moment. Raises RuntimeError if
// there is none.
PyObject* make_kernel(const c10::OperatorHandle& op, c10::DispatchKey key);

// Creates the class of these objects.
bool init_kernels();

} // namespace torch
