#pragma once

#include <torch/csrc/python_headers.h>

namespace caffe2::python {

// Adds the functions of caffe2_pybind11_state to another module, where they share its workspaces.
// Returns false with a Python error if that fails.
bool add_methods(PyObject* module);

} // namespace caffe2::python
