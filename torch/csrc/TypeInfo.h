#pragma once
// torch.finfo and torch.iinfo
#include <torch/csrc/python_headers.h>

bool THPDTypeInfo_init(PyObject* module);
