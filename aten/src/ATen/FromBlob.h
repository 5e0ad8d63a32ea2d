#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <functional>

namespace at {

using Deleter = std::function<void(void*)>;

// Returns a tensor over memory of the caller, who keeps it alive while the tensor is in use, or
// gives a `deleter` that is called with `data` when the last tensor over it is destroyed.
TORCH_API Tensor from_blob(
    void* data, IntArrayRef sizes, IntArrayRef strides, const Deleter& deleter,
    const TensorOptions& options = {});
TORCH_API Tensor
from_blob(void* data, IntArrayRef sizes, const Deleter& deleter, const TensorOptions& options = {});
TORCH_API Tensor
from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options = {});
TORCH_API Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});

} // namespace at
