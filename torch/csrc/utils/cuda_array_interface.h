#pragma once
// Reads the CUDA Array Interface, through which libraries such as CuPy and Numba share memory of a
// device.
#include <ATen/core/Tensor.h>
#include <torch/csrc/python_headers.h>

#include <optional>

namespace torch {

// Returns a tensor over the memory that the object's __cuda_array_interface__ describes, and keeps
// the object alive; returns nullopt for objects without it.
std::optional<at::Tensor> tensor_from_cuda_array_interface(PyObject* object);

} // namespace torch
