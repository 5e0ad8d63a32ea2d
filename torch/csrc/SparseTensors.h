#pragma once
// Sparse tensors are written in Python; C++ calls their code for factories and gradients.
#include <torch/csrc/python_headers.h>

namespace torch {

bool init_sparse_tensors(PyObject* module);

} // namespace torch
