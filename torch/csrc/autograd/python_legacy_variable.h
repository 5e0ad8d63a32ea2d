#pragma once
// torch._C._LegacyVariableBase: the base of torch.autograd.Variable, whose calls return tensors.
#include <torch/csrc/python_headers.h>

namespace torch::autograd {

bool init_legacy_variable(PyObject* module);

} // namespace torch::autograd
