#pragma once
// torch._C._CheckedFunction: a function written in Python whose arguments are checked like those of
// an operator, against signatures that the caller passes as rows.
#include <torch/csrc/python_headers.h>

namespace torch {

bool init_checked_function(PyObject* module);

} // namespace torch
