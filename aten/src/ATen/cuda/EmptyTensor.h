#pragma once

#include <ATen/core/TensorBase.h>

#include <optional>

namespace at::detail {

// Uninitialized tensors in the memory of a CUDA device; without one, of the current device.
TORCH_CUDA_CPP_API TensorBase empty_cuda(
    IntArrayRef size, ScalarType dtype, std::optional<Device> device,
    std::optional<MemoryFormat> format = std::nullopt);
TORCH_CUDA_CPP_API TensorBase empty_cuda(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> format);
TORCH_CUDA_CPP_API TensorBase empty_cuda(IntArrayRef size, const TensorOptions& options);
TORCH_CUDA_CPP_API TensorBase empty_strided_cuda(
    IntArrayRef size, IntArrayRef stride, ScalarType dtype, std::optional<Device> device);
TORCH_CUDA_CPP_API TensorBase empty_strided_cuda(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory);

} // namespace at::detail
