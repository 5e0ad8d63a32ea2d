#pragma once
// torch.ops and torch.library: operators by name, boxed calls, kernels written in Python.
#include <torch/csrc/python_headers.h>

namespace torch {

bool initDispatchBindings(PyObject* module);

} // namespace torch
