#pragma once
// Tensors over memory that somebody else owns.
#include <ATen/core/Tensor.h>

namespace torch {

// `release(context)` is called, from any thread, when the last tensor over the memory goes.
at::Tensor tensor_over_memory(
    void* data, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type, void* context,
    void (*release)(void*));

} // namespace torch
