#pragma once
// NumPy interchange through the array interface: NumPy is imported on first use, never linked.
#include <ATen/core/Tensor.h>
#include <torch/csrc/python_headers.h>

#include <optional>

namespace torch {

// Returns an ndarray over the tensor's memory; `force` copies if the memory cannot be shared.
PyObject* tensor_to_numpy(PyObject* tensor, bool force);

bool is_numpy_array(PyObject* object);
// Whether this is an array of no dimensions that holds an integer.
bool is_integer_array(PyObject* object);
// Returns a tensor over the array's memory, which it keeps alive.
at::Tensor tensor_from_numpy(PyObject* array, bool warn_if_not_writeable = true);
// Converts an object with __array_interface__; returns nullopt for objects without it.
std::optional<at::Tensor> tensor_from_array_interface(PyObject* object);
// Returns the dtype of a type code such as "<f4"; throws if there is none.
at::ScalarType scalar_type_of_array(PyObject* array, const char* code);
// Converts an object with the buffer protocol: torch.frombuffer.
at::Tensor tensor_from_buffer(
    PyObject* buffer, at::ScalarType dtype, int64_t count, int64_t offset);

} // namespace torch
