#pragma once
// Creates tensors from Python data: nested sequences, numbers, buffers, array interfaces.
#include <ATen/core/Tensor.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>

#include <optional>

namespace torch {

// Creates a 0-dim tensor that counts as a number in type promotion.
at::Tensor wrapped_number_tensor(const at::Scalar& scalar);

struct NewTensorOptions {
  std::optional<at::ScalarType> dtype;
  std::optional<c10::Device> device;
  bool pin_memory = false;
  bool share = false; // as_tensor: copies only if necessary
};
at::Tensor tensor_from_data(PyObject* data, const NewTensorOptions& options);
// A vector of a storage's memory, which it shares.
at::Tensor elements_of(const c10::Storage& storage, at::ScalarType dtype);
at::ScalarType infer_dtype(PyObject* data);
// The elements of a storage as a tensor that shares them; nullopt if neither the storage nor the
// caller says what they are.
std::optional<at::Tensor> tensor_over_storage(
    PyObject* object, std::optional<at::ScalarType> dtype);

// torch.Tensor(...), the legacy constructor.
at::Tensor legacy_tensor_constructor(PyObject* args, PyObject* kwargs);
// torch.FloatTensor(...) and similar: the given type, on the CPU.
at::Tensor legacy_typed_tensor(at::ScalarType dtype, PyObject* args, PyObject* kwargs);

} // namespace torch
