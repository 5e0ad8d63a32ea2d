#pragma once
// Tensors over memory with another owner.
#include <ATen/core/Tensor.h>

namespace torch {

// Calls `release(context)`, from any thread, when the last tensor over the memory is destroyed.
TORCH_API at::Tensor tensor_over_memory(
    void* data, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type, void* context,
    void (*release)(void*), c10::Device device = c10::default_device_type);

} // namespace torch
