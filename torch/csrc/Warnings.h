#pragma once
// TORCH_WARN as Python warnings.
#include <torch/csrc/python_headers.h>

namespace torch {

// From now on this process's C++ warnings are Python's, in the threads that Python knows.
bool init_warnings(PyObject* module);

} // namespace torch
