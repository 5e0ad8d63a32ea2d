#include <ATen/legacy/Type.h>

#include <ATen/legacy/TypeRegistry.h>

namespace at {

TensorOptions Type::options(DeviceIndex device_index) const {
  return TensorOptions()
      .dtype(scalarType())
      .device(Device(device_type(), device_index))
      .layout(layout());
}

const TypeExtendedInterface& Type::toBackend(legacy::Backend backend) const {
  return globalLegacyTypeDispatch().getType(backend, scalarType(), is_variable());
}

const TypeExtendedInterface& Type::toScalarType(ScalarType scalar_type) const {
  return globalLegacyTypeDispatch().getType(backend(), scalar_type, is_variable());
}

TensorOptions Type::complete(const TensorOptions& options) const {
  const auto dtype = c10::optTypeMetaToScalarType(options.dtype_opt());
  TORCH_CHECK_TYPE(
      dtype.value_or(scalarType()) == scalarType(), toString(), " cannot create tensors of ",
      *dtype);
  const auto device = options.device_opt().value_or(Device(device_type()));
  TORCH_CHECK(device.type() == device_type(), toString(), " cannot create tensors on ", device);
  const auto layout_asked = options.layout_opt().value_or(layout());
  TORCH_CHECK(
      layout_asked == layout(), toString(), " cannot create tensors with the layout ",
      layout_asked);
  return options.dtype(scalarType()).device(device).layout(layout());
}

} // namespace at
