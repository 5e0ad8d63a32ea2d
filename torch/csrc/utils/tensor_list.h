#pragma once
// Copies the elements of tensors into Python numbers: item() and tolist().
#include <torch/csrc/python_headers.h>

#include <ATen/core/Tensor.h>

namespace torch {

// Returns the only element as a Python number; throws unless there is exactly one.
PyObject* item_of(const at::Tensor& tensor);
// Returns nested lists, or a number for a 0-dim tensor.
PyObject* list_of(const at::Tensor& tensor);

} // namespace torch
