// Conversions between dtypes, devices and memory formats, and from a tensor to a number.

#include <ATen/native/Factories.h>

#include <ATen/TensorUtils.h>
#include <ATen/native/MathBits.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/_to_copy_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/clone_native.h>
#include <ATen/ops/contiguous_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/empty_like_native.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/item_native.h>
#include <ATen/ops/to_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace at::native {
namespace {

// "The device of this type" is its current one.
std::optional<Device> with_index(std::optional<Device> device) {
  if (!device.has_value() || device->has_index() || device->type() == c10::default_device_type) {
    return device;
  }
  return c10::impl::getDeviceGuardImpl(device->type())->getDevice();
}

// Fills a new tensor. In memory this does not count as a change of it: its version stays 0.
void fill_copy(Tensor& result, const Tensor& self, bool non_blocking) {
  const bool in_memory =
      self.is_cpu() && result.is_cpu() && !self.unsafeGetTensorImpl()->is_python_dispatch();
  if (in_memory) {
    at::native::copy_(result, self, non_blocking);
  } else {
    at::methods::copy_(result, self, non_blocking);
  }
}

bool keeps_format(const Tensor& self, MemoryFormat format) {
  return format == MemoryFormat::Preserve || self.suggest_memory_format() == format;
}

Tensor to_impl(
    const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> wanted_device, std::optional<bool> pin_memory, bool non_blocking,
    bool copy, std::optional<MemoryFormat> memory_format) {
  const std::optional<Device> device = with_index(wanted_device);
  const MemoryFormat format = memory_format.value_or(MemoryFormat::Preserve);
  const bool same = (!dtype.has_value() || *dtype == self.scalar_type()) &&
      (!layout.has_value() || *layout == self.layout()) &&
      (!device.has_value() || *device == self.device());
  if (same && !copy && keeps_format(self, format)) {
    return self;
  }
  return at::_to_copy(self, dtype, layout, device, pin_memory, non_blocking, memory_format);
}

} // namespace

Tensor _to_copy(
    const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory, bool non_blocking,
    std::optional<MemoryFormat> memory_format) {
  Tensor result = at::native::empty_like(
      self, dtype, layout, device, pin_memory, memory_format.value_or(MemoryFormat::Preserve));
  fill_copy(result, self, non_blocking);
  return result;
}

Tensor to(
    const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory, bool non_blocking, bool copy,
    std::optional<MemoryFormat> memory_format) {
  return to_impl(self, dtype, layout, device, pin_memory, non_blocking, copy, memory_format);
}

Tensor to(
    const Tensor& self, Device device, ScalarType dtype, bool non_blocking, bool copy,
    std::optional<MemoryFormat> memory_format) {
  return to_impl(
      self, dtype, std::nullopt, device, std::nullopt, non_blocking, copy, memory_format);
}

Tensor to(
    const Tensor& self, ScalarType dtype, bool non_blocking, bool copy,
    std::optional<MemoryFormat> memory_format) {
  return to_impl(
      self, dtype, std::nullopt, std::nullopt, std::nullopt, non_blocking, copy, memory_format);
}

Tensor to(
    const Tensor& self, const Tensor& other, bool non_blocking, bool copy,
    std::optional<MemoryFormat> memory_format) {
  return to_impl(
      self, other.scalar_type(), other.layout(), other.device(), std::nullopt, non_blocking, copy,
      memory_format);
}

Tensor contiguous(const Tensor& self, MemoryFormat memory_format) {
  if (self.is_contiguous(memory_format)) {
    return self;
  }
  TORCH_CHECK(
      memory_format != MemoryFormat::Preserve,
      "preserve memory format is unsupported by the contiguous operator");
  return at::clone(self, memory_format);
}

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  Tensor result = at::native::empty_like(
      self, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
      memory_format.value_or(MemoryFormat::Preserve));
  if (self.is_cpu() && self.strides() == result.strides() && self.is_non_overlapping_and_dense() &&
      !has_math_bits(self)) {
    copy_bytes(result.mutable_data_ptr(), self.const_data_ptr(), self.nbytes());
    return result;
  }
  fill_copy(result, self, /*non_blocking=*/false);
  return result;
}

Scalar item(const Tensor& self) {
  TORCH_CHECK(
      self.numel() == 1, "a Tensor with ", self.numel(), " elements cannot be converted to Scalar");
  return are_in_host_memory(self) && !c10::impl::tls_is_dispatch_key_included(DispatchKey::Python)
      ? _local_scalar_dense_cpu(self)
      : at::_local_scalar_dense(self);
}

Scalar _local_scalar_dense_cpu(const Tensor& self) {
  TORCH_CHECK(self.numel() > 0, "_local_scalar_dense: an empty tensor has no element");
  const void* data = self.const_data_ptr();
  switch (self.scalar_type()) {
#define READ_AS(type, name) \
  case ScalarType::name:    \
    return Scalar(*static_cast<const type*>(data));
    READ_AS(bool, Bool)
    READ_AS(uint8_t, Byte)
    READ_AS(int8_t, Char)
    READ_AS(int16_t, Short)
    READ_AS(int32_t, Int)
    READ_AS(int64_t, Long)
    READ_AS(uint16_t, UInt16)
    READ_AS(uint32_t, UInt32)
    READ_AS(uint64_t, UInt64)
    READ_AS(c10::Half, Half)
    READ_AS(c10::BFloat16, BFloat16)
    READ_AS(float, Float)
    READ_AS(double, Double)
    READ_AS(c10::complex<float>, ComplexFloat)
    READ_AS(c10::complex<double>, ComplexDouble)
#undef READ_AS
#define READ_AS(type, name, number) \
  case ScalarType::name:            \
    return Scalar(*static_cast<const type*>(data));
    C10_FORALL_FLOAT8_TYPES(READ_AS)
#undef READ_AS
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(
          false, "\"_local_scalar_dense_cpu\" not implemented for '", self.scalar_type(), "'");
  }
}

Scalar _local_scalar_dense_meta(const Tensor& self) {
  TORCH_CHECK(false, "Tensor.item() cannot be called on meta tensors");
}

} // namespace at::native
