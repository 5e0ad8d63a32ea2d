#pragma once
// torch._C._autograd.SavedTensor: a tensor that a node saved, as Python sees it before unpacking.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/saved_variable.h>

namespace torch::autograd {

// A new reference. The object keeps `owner`, the node that `variable` is part of, alive.
PyObject* THPSavedVariable_Wrap(SavedVariable& variable, PyObject* owner);

bool THPSavedVariable_init(PyObject* module);

} // namespace torch::autograd
