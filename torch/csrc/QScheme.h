#pragma once
// torch.qscheme: the names exist, but quantized tensors are not implemented.
#include <torch/csrc/python_headers.h>

bool THPQScheme_init(PyObject* module);
