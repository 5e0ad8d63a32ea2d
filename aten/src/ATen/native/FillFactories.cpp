// Tensors filled with one value: zeros, ones, full, scalar_tensor, and their *_like and new_*
// forms.

#include <ATen/native/Factories.h>

#include <ATen/core/LegacyTypeDispatch.h>

#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/empty_like_native.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/full_like_native.h>
#include <ATen/ops/full_native.h>
#include <ATen/ops/new_full_native.h>
#include <ATen/ops/new_ones_native.h>
#include <ATen/ops/new_zeros_native.h>
#include <ATen/ops/ones_like_native.h>
#include <ATen/ops/ones_native.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/scalar_tensor_native.h>
#include <ATen/ops/zero.h>
#include <ATen/ops/zeros_like_native.h>
#include <ATen/ops/zeros_native.h>

namespace at::native {
namespace {

bool fills_as_bytes(const Tensor& self) {
  // A wrapper, such as a sparse tensor, has no bytes of its own.
  return self.is_cpu() && self.is_non_overlapping_and_dense() &&
      !self.key_set().has(c10::DispatchKey::Python);
}

Tensor& zero_out(Tensor& self) {
  if (fills_as_bytes(self)) [[likely]] {
    zero_bytes(self.mutable_data_ptr(), self.nbytes());
    return self;
  }
  const at::AutoDispatchBelowADInplaceOrView uncounted; // a new tensor has version 0
  return at::methods::zero_(self);
}

FactoryOptions options_like(
    const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  return {dtype.value_or(self.scalar_type()), layout, device.value_or(self.device()), pin_memory};
}

} // namespace

Tensor& fill_with(Tensor& self, const Scalar& value) {
  if (fills_as_bytes(self)) [[likely]] {
    const size_t itemsize = self.itemsize();
    fill_elements(
        self.mutable_data_ptr(), self.numel(), scalar_bytes(value, self.scalar_type()), itemsize);
    return self;
  }
  const at::AutoDispatchBelowADInplaceOrView uncounted;
  return at::methods::fill_(self, value);
}

Tensor zeros(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  for (const int64_t extent : size) {
    TORCH_CHECK(extent >= 0, "zeros: Dimension size must be non-negative.");
  }
  Tensor result = factory_empty(size, {dtype, layout, device, pin_memory});
  return zero_out(result);
}

Tensor& zeros_out(IntArrayRef size, Tensor& result) {
  at::methods::resize_(result, size);
  return zero_out(result);
}

Tensor zeros_like(
    const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> memory_format) {
  Tensor result = at::native::empty_like(self, dtype, layout, device, pin_memory, memory_format);
  return zero_out(result);
}

Tensor new_zeros(
    const Tensor& self, IntArrayRef size, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = factory_empty(size, options_like(self, dtype, layout, device, pin_memory));
  return zero_out(result);
}

// Sparse tensors have no elements to fill.
static void check_fill_layout(std::optional<Layout> layout) {
  TORCH_CHECK(
      c10::layout_or_default(layout) == kStrided, "full(...) is not implemented for sparse layout");
}

Tensor ones(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  check_fill_layout(layout);
  Tensor result = factory_empty(size, {dtype, layout, device, pin_memory});
  return fill_with(result, 1);
}

Tensor& ones_out(IntArrayRef size, Tensor& result) {
  at::methods::resize_(result, size);
  return fill_with(result, 1);
}

Tensor ones_like(
    const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> memory_format) {
  Tensor result = at::native::empty_like(self, dtype, layout, device, pin_memory, memory_format);
  return fill_with(result, 1);
}

Tensor new_ones(
    const Tensor& self, IntArrayRef size, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = factory_empty(size, options_like(self, dtype, layout, device, pin_memory));
  return fill_with(result, 1);
}

Tensor full(
    IntArrayRef size, const Scalar& fill_value, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  check_fill_layout(layout);
  Tensor result = factory_empty(
      size, {dtype.has_value() ? *dtype : dtype_of_number(fill_value), layout, device, pin_memory});
  return fill_with(result, fill_value);
}

Tensor& full_out(IntArrayRef size, const Scalar& fill_value, Tensor& result) {
  at::methods::resize_(result, size);
  return fill_with(result, fill_value);
}

Tensor full_like(
    const Tensor& self, const Scalar& fill_value, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory,
    std::optional<MemoryFormat> memory_format) {
  Tensor result = at::native::empty_like(self, dtype, layout, device, pin_memory, memory_format);
  return fill_with(result, fill_value);
}

Tensor new_full(
    const Tensor& self, IntArrayRef size, const Scalar& fill_value, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = factory_empty(size, options_like(self, dtype, layout, device, pin_memory));
  return fill_with(result, fill_value);
}

Tensor scalar_tensor(
    const Scalar& s, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = factory_empty({}, {dtype, layout, device, pin_memory});
  if (c10::isReducedFloatingType(result.scalar_type())) {
    // A number that is too large becomes infinity, as if converted from a tensor of doubles.
    return at::methods::fill_(result, scalar_tensor(s, kDouble, layout, kCPU, false));
  }
  return fill_with(result, s);
}

} // namespace at::native
