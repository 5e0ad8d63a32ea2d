#pragma once
// NumPy interchange through its array interface: NumPy is imported when first needed, never linked.
#include <ATen/core/Tensor.h>
#include <torch/csrc/python_headers.h>

#include <optional>

namespace torch {

// An ndarray over the tensor's memory; `force` copies whatever cannot be shared.
PyObject* tensor_to_numpy(PyObject* tensor, bool force);

bool is_numpy_array(PyObject* object);
// A tensor over the array's memory, which it keeps alive.
at::Tensor tensor_from_numpy(PyObject* array, bool warn_if_not_writeable = true);
// From an object with __array_interface__; nothing for objects without.
std::optional<at::Tensor> tensor_from_array_interface(PyObject* object);
// From an object with the buffer protocol: torch.frombuffer.
at::Tensor tensor_from_buffer(
    PyObject* buffer, at::ScalarType dtype, int64_t count, int64_t offset);

} // namespace torch
