// Uninitialized tensors, and operators that only pass a tensor on.

#include <ATen/native/Factories.h>

#include <ATen/DeterministicFill.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_like_native.h>
#include <ATen/ops/empty_native.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/empty_strided_native.h>
#include <ATen/ops/lift_fresh_native.h>
#include <ATen/ops/new_empty_native.h>
#include <ATen/ops/new_empty_strided_native.h>
#include <ATen/ops/resize.h>

namespace at::native {

Tensor empty_cpu(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> memory_format) {
  return uninitialized(
      Tensor(at::detail::empty_cpu(size, dtype, layout, device, pin_memory, memory_format)));
}

Tensor empty_meta(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> memory_format) {
  return Tensor(at::detail::empty_meta(size, dtype, layout, device, pin_memory, memory_format));
}

Tensor empty_strided_cpu(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  return uninitialized(
      Tensor(at::detail::empty_strided_cpu(size, stride, dtype, layout, device, pin_memory)));
}

Tensor empty_strided_meta(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  return Tensor(at::detail::empty_strided_meta(size, stride, dtype, layout, device, pin_memory));
}

Tensor& empty_out(IntArrayRef size, std::optional<MemoryFormat> memory_format, Tensor& result) {
  TORCH_CHECK(
      !memory_format.has_value(),
      "'memory_format' argument is incompatible with 'out' tensor argument");
  if (result.sizes() == size) {
    return result;
  }
  at::methods::resize_(result, size);
  if (fills_new_memory()) {
    fill_unwritten(result);
  }
  return result;
}

Tensor empty_like(
    const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> memory_format) {
  const FactoryOptions options{
      dtype.value_or(self.scalar_type()), layout, device.value_or(self.device()), pin_memory};
  const MemoryFormat format = memory_format.value_or(MemoryFormat::Preserve);
  if (format == MemoryFormat::Contiguous) {
    return uninitialized(factory_empty(self.sizes(), options));
  }
  if (format == MemoryFormat::Preserve && self.is_contiguous()) {
    Tensor result = factory_empty(self.sizes(), options);
    if (result.strides() != self.strides()) {
      // Also keeps the strides of dimensions of size zero or one.
      result.unsafeGetTensorImpl()->set_sizes_and_strides(self.sizes(), self.strides());
    }
    return uninitialized(std::move(result));
  }
  if (format != MemoryFormat::Preserve) {
    return at::empty(
        self.sizes(), options.dtype, options.layout, options.device, options.pin_memory, format);
  }
  if (self.is_non_overlapping_and_dense()) {
    return at::empty_strided(
        self.sizes(), self.strides(), options.dtype, options.layout, options.device,
        options.pin_memory);
  }
  return at::empty_strided(
      self.sizes(), at::detail::dense_strides_like(self.sizes(), self.strides()), options.dtype,
      options.layout, options.device, options.pin_memory);
}

Tensor new_empty(
    const Tensor& self, IntArrayRef size, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  return uninitialized(factory_empty(
      size,
      {dtype.value_or(self.scalar_type()), layout, device.value_or(self.device()), pin_memory}));
}

Tensor new_empty_strided(
    const Tensor& self, IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  return at::empty_strided(
      size, stride, dtype.value_or(self.scalar_type()), layout, device.value_or(self.device()),
      pin_memory);
}

Tensor lift_fresh(const Tensor& self) {
  return at::alias(self);
}

} // namespace at::native
