#pragma once
// Turns TORCH_WARN into Python warnings.
#include <torch/csrc/python_headers.h>

namespace torch {

// From now on, C++ warnings of this process are Python warnings, in the threads that Python knows.
bool init_warnings(PyObject* module);

} // namespace torch
