#pragma once
// The dispatcher's guards as context managers in torch._C, and its keys as integers.
#include <torch/csrc/python_headers.h>

namespace torch {

// _AutoDispatchBelowAutograd, _AutoDispatchBelowADInplaceOrView
bool init_guards(PyObject* module);

} // namespace torch
