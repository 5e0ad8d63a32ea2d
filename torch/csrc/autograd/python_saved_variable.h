#pragma once
// torch._C._autograd.SavedTensor: a tensor saved by a node, as seen from Python before unpacking.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/saved_variable.h>

namespace torch::autograd {

// Returns a new reference. The object keeps `owner`, the node that contains `variable`, alive.
PyObject* THPSavedVariable_Wrap(SavedVariable& variable, PyObject* owner);

bool THPSavedVariable_init(PyObject* module);

} // namespace torch::autograd
