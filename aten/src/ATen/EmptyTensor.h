#pragma once

#include <ATen/core/TensorBase.h>
#include <c10/core/Allocator.h>

#include <optional>

// Creates tensors with uninitialized memory without going through the dispatcher.
namespace at::detail {

TORCH_API TensorBase empty_generic(
    IntArrayRef size, c10::Allocator* allocator, c10::DispatchKeySet keys, ScalarType dtype,
    std::optional<MemoryFormat> format);
TORCH_API TensorBase empty_strided_generic(
    IntArrayRef size, IntArrayRef stride, c10::Allocator* allocator, c10::DispatchKeySet keys,
    ScalarType dtype);

// A dense tensor of any device type, from the allocator that the type has registered. These are for
// code that does not know the device.
TORCH_API TensorBase empty_on(
    Device device, IntArrayRef size, ScalarType dtype,
    std::optional<MemoryFormat> format = std::nullopt);
TORCH_API TensorBase
empty_strided_on(Device device, IntArrayRef size, IntArrayRef stride, ScalarType dtype);
// Returns a storage that has no memory yet and can grow.
TORCH_API c10::Storage empty_storage(Device device, size_t bytes = 0);

TORCH_API TensorBase
empty_cpu(IntArrayRef size, ScalarType dtype, std::optional<MemoryFormat> format = std::nullopt);
inline TensorBase empty_cpu(
    IntArrayRef size, ScalarType dtype, bool /*pin_memory*/, std::optional<MemoryFormat> format) {
  return empty_cpu(size, dtype, format);
}
TORCH_API TensorBase empty_cpu(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> format);
TORCH_API TensorBase empty_cpu(IntArrayRef size, const TensorOptions& options);
// Sets the function that creates empty tensors of layouts other than strided; it may refuse some.
using EmptyOfLayout =
    TensorBase (*)(IntArrayRef size, ScalarType dtype, Layout layout, Device device);
TORCH_API void set_empty_of_layout(EmptyOfLayout function);
TORCH_API TensorBase empty_strided_cpu(IntArrayRef size, IntArrayRef stride, ScalarType dtype);
TORCH_API TensorBase empty_strided_cpu(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory);
TORCH_API TensorBase
empty_strided_cpu(IntArrayRef size, IntArrayRef stride, const TensorOptions& options);

// Meta tensors have sizes, strides and a storage of the right size without memory.
TORCH_API TensorBase
empty_meta(IntArrayRef size, ScalarType dtype, std::optional<MemoryFormat> format = std::nullopt);
TORCH_API TensorBase empty_meta(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> format);
TORCH_API TensorBase empty_meta(IntArrayRef size, const TensorOptions& options);
TORCH_API TensorBase empty_strided_meta(IntArrayRef size, IntArrayRef stride, ScalarType dtype);
TORCH_API TensorBase empty_strided_meta(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory);
TORCH_API TensorBase
empty_strided_meta(IntArrayRef size, IntArrayRef stride, const TensorOptions& options);

using c10::computeStorageNbytes;
using c10::computeStorageNbytesContiguous;

} // namespace at::detail
