#pragma once
// torch.qscheme: the names exist, quantised tensors do not yet.
#include <torch/csrc/python_headers.h>

bool THPQScheme_init(PyObject* module);
