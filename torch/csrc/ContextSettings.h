#pragma once
// The settings of at::globalContext() as functions of torch._C.
#include <torch/csrc/python_headers.h>

namespace torch {

extern PyMethodDef context_methods[];
// _LinalgBackend, of which _get_linalg_preferred_backend answers a member.
bool initLinalgBackend(PyObject* module);

} // namespace torch
