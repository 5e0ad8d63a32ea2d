#pragma once
// Guards of the dispatcher as context managers of torch._C.
#include <torch/csrc/python_headers.h>

namespace torch {

// _AutoDispatchBelowAutograd, _AutoDispatchBelowADInplaceOrView
bool init_guards(PyObject* module);

} // namespace torch
