#pragma once
// The settings of at::globalContext() as functions of torch._C.
#include <torch/csrc/python_headers.h>

namespace torch {

extern PyMethodDef context_methods[];
// The enumeration _LinalgBackend; _get_linalg_preferred_backend returns one of its members.
bool initLinalgBackend(PyObject* module);

} // namespace torch
