#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/legacy/Backend.h>
#include <c10/core/TensorOptions.h>

namespace at {

struct TypeExtendedInterface;

// A back end together with an element type. There is one object of each, in the registry.
struct TORCH_API Type {
  Type() = default;
  virtual ~Type() = default;
  C10_DISABLE_COPY_AND_ASSIGN(Type);

  virtual legacy::Backend backend() const = 0;
  virtual ScalarType scalarType() const = 0;
  // The name of the class: CPUFloatType.
  virtual const char* toString() const = 0;
  virtual bool is_variable() const { return false; }

  c10::DispatchKey dispatch_key() const { return legacy::dispatch_key_of(backend()); }
  DeviceType device_type() const { return legacy::device_type_of(backend()); }
  Layout layout() const { return legacy::layout_of(backend()); }
  bool is_cuda() const { return device_type() == DeviceType::CUDA; }
  bool is_sparse() const { return layout() == Layout::Sparse; }
  size_t elementSizeInBytes() const { return c10::elementSize(scalarType()); }
  TensorOptions options(DeviceIndex device_index = -1) const;

  const TypeExtendedInterface& toBackend(legacy::Backend backend) const;
  const TypeExtendedInterface& toScalarType(ScalarType scalar_type) const;

  bool operator==(const Type& other) const { return this == &other; }

 protected:
  // The type's own dtype, device and layout where `options` name none. Others are errors.
  TensorOptions complete(const TensorOptions& options) const;
};

} // namespace at
