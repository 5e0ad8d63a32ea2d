#pragma once
// torch._C._ConvBackend and torch._C._select_conv_backend.
#include <torch/csrc/python_headers.h>

bool THPConvBackend_init(PyObject* module);
