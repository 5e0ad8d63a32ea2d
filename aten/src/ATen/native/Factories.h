#pragma once

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/DefaultDtype.h>

#include <optional>

namespace at::native {

// The TensorOptions of a factory as its kernel receives them, packed together again.
struct FactoryOptions {
  std::optional<ScalarType> dtype;
  std::optional<Layout> layout;
  std::optional<Device> device;
  std::optional<bool> pin_memory;

  // Ordinary memory of the default device.
  bool plain() const {
    return (!device.has_value() || device->type() == c10::default_device_type) &&
        !pin_memory.value_or(false) && layout.value_or(kStrided) == kStrided;
  }
  ScalarType dtype_or_default() const {
    return dtype.has_value() ? *dtype : c10::get_default_dtype_as_scalartype();
  }
};

// at::empty, bypassing the dispatcher for memory on the CPU.
inline Tensor factory_empty(IntArrayRef size, const FactoryOptions& options) {
  if (options.plain()) [[likely]] {
    return Tensor(at::detail::empty_cpu(size, options.dtype_or_default()));
  }
  return at::empty(
      size, options.dtype, options.layout, options.device, options.pin_memory, std::nullopt);
}

// The dtype of a tensor created from a number: bool, int64, or the default floating or complex
// dtype.
inline ScalarType dtype_of_number(const Scalar& value) {
  if (value.isBoolean()) {
    return kBool;
  }
  if (value.isIntegral(/*includeBool=*/false)) {
    return kLong;
  }
  return value.isComplex() ? c10::typeMetaToScalarType(c10::get_default_complex_dtype())
                           : c10::get_default_dtype_as_scalartype();
}

// Sets every element of a new or given tensor to `value`.
Tensor& fill_with(Tensor& self, const Scalar& value);

} // namespace at::native
