#pragma once

#include <c10/core/DefaultDtype.h>
#include <c10/core/Device.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>
#include <c10/util/typeid.h>

#include <optional>

namespace c10 {

inline ScalarType dtype_or_default(std::optional<ScalarType> dtype) {
  return dtype.has_value() ? *dtype : get_default_dtype_as_scalartype();
}
inline caffe2::TypeMeta dtype_or_default(std::optional<caffe2::TypeMeta> dtype) {
  return dtype.has_value() ? *dtype : get_default_dtype();
}
inline Layout layout_or_default(std::optional<Layout> layout) {
  return layout.value_or(kStrided);
}
inline Device device_or_default(std::optional<Device> device) {
  return device.has_value() ? *device : Device(kCPU);
}
inline bool pinned_memory_or_default(std::optional<bool> pinned) {
  return pinned.value_or(false);
}
C10_API DispatchKey computeDispatchKey(
    std::optional<ScalarType> dtype,
    std::optional<Layout> layout,
    std::optional<Device> device);

// How to make a tensor: each property is either named or left to the default.
struct TensorOptions {
  TensorOptions() = default;
  TensorOptions(Layout layout) : layout_(layout) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType type) : device_(Device(type)) {}
  TensorOptions(caffe2::TypeMeta dtype) : dtype_(dtype.toScalarType()) {}
  TensorOptions(ScalarType dtype) : dtype_(dtype) {}
  TensorOptions(MemoryFormat format) : memory_format_(format) {}
  TensorOptions(const std::string& device) : device_(Device(device)) {}
  TensorOptions(const char* device) : device_(Device(device)) {}

  [[nodiscard]] TensorOptions device(std::optional<Device> device) const {
    TensorOptions r = *this;
    r.device_ = device;
    return r;
  }
  template <typename... Args>
  [[nodiscard]] TensorOptions device(Args&&... args) const {
    return device(std::optional<Device>(std::in_place, std::forward<Args>(args)...));
  }
  [[nodiscard]] TensorOptions device_index(DeviceIndex index) const {
    return device(Device(DeviceType::CUDA, index));
  }
  [[nodiscard]] TensorOptions dtype(std::optional<caffe2::TypeMeta> dtype) const {
    TensorOptions r = *this;
    r.dtype_ = dtype ? std::optional<ScalarType>(dtype->toScalarType()) : std::nullopt;
    return r;
  }
  [[nodiscard]] TensorOptions dtype(std::optional<ScalarType> dtype) const {
    TensorOptions r = *this;
    r.dtype_ = dtype;
    return r;
  }
  [[nodiscard]] TensorOptions dtype(ScalarType dtype) const {
    return this->dtype(std::optional<ScalarType>(dtype));
  }
  [[nodiscard]] TensorOptions dtype(caffe2::TypeMeta dtype) const {
    return this->dtype(dtype.toScalarType());
  }
  template <typename T>
  TensorOptions& dtype() {
    dtype_ = CppTypeToScalarType<T>::value;
    return *this;
  }
  [[nodiscard]] TensorOptions layout(std::optional<Layout> layout) const {
    TensorOptions r = *this;
    r.layout_ = layout;
    return r;
  }
  [[nodiscard]] TensorOptions requires_grad(std::optional<bool> requires_grad) const {
    TensorOptions r = *this;
    r.requires_grad_ = requires_grad;
    return r;
  }
  [[nodiscard]] TensorOptions pinned_memory(std::optional<bool> pinned) const {
    TensorOptions r = *this;
    r.pinned_memory_ = pinned;
    return r;
  }
  [[nodiscard]] TensorOptions memory_format(std::optional<MemoryFormat> format) const {
    TensorOptions r = *this;
    r.memory_format_ = format;
    return r;
  }

  Device device() const { return device_or_default(device_); }
  bool has_device() const { return device_.has_value(); }
  std::optional<Device> device_opt() const { return device_; }
  DeviceIndex device_index() const { return device().index(); }
  caffe2::TypeMeta dtype() const { return dtype_or_default(dtype_); }
  bool has_dtype() const { return dtype_.has_value(); }
  std::optional<caffe2::TypeMeta> dtype_opt() const {
    return dtype_ ? std::optional<caffe2::TypeMeta>(*dtype_) : std::nullopt;
  }
  // The named type, without a detour over TypeMeta.
  std::optional<ScalarType> scalar_type_opt() const { return dtype_; }
  Layout layout() const { return layout_or_default(layout_); }
  bool has_layout() const { return layout_.has_value(); }
  std::optional<Layout> layout_opt() const { return layout_; }
  bool requires_grad() const { return requires_grad_.value_or(false); }
  bool has_requires_grad() const { return requires_grad_.has_value(); }
  std::optional<bool> requires_grad_opt() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_memory_or_default(pinned_memory_); }
  bool has_pinned_memory() const { return pinned_memory_.has_value(); }
  std::optional<bool> pinned_memory_opt() const { return pinned_memory_; }
  bool has_memory_format() const { return memory_format_.has_value(); }
  std::optional<MemoryFormat> memory_format_opt() const { return memory_format_; }
  bool is_sparse() const { return layout_ == kSparse; }

  // The other's named properties, and this one's where the other names none.
  TensorOptions merge_in(TensorOptions other) const noexcept {
    TensorOptions r = *this;
    if (other.device_) r.device_ = other.device_;
    if (other.dtype_) r.dtype_ = other.dtype_;
    if (other.layout_) r.layout_ = other.layout_;
    if (other.requires_grad_) r.requires_grad_ = other.requires_grad_;
    if (other.pinned_memory_) r.pinned_memory_ = other.pinned_memory_;
    if (other.memory_format_) r.memory_format_ = other.memory_format_;
    return r;
  }
  TensorOptions merge_memory_format(std::optional<MemoryFormat> format) const noexcept {
    return format ? memory_format(format) : *this;
  }

  DispatchKey computeDispatchKey() const {
    return c10::computeDispatchKey(dtype_, layout_, device_);
  }

 private:
  std::optional<Device> device_;
  std::optional<ScalarType> dtype_;
  std::optional<Layout> layout_;
  std::optional<MemoryFormat> memory_format_;
  std::optional<bool> requires_grad_;
  std::optional<bool> pinned_memory_;
};

inline TensorOptions dtype(caffe2::TypeMeta dtype) {
  return TensorOptions(dtype);
}
inline TensorOptions dtype(ScalarType dtype) {
  return TensorOptions(dtype);
}
inline TensorOptions layout(Layout layout) {
  return TensorOptions(layout);
}
inline TensorOptions device(Device device) {
  return TensorOptions(device);
}
inline TensorOptions requires_grad(bool requires_grad = true) {
  return TensorOptions().requires_grad(requires_grad);
}
inline TensorOptions memory_format(MemoryFormat format) {
  return TensorOptions(format);
}

C10_API std::ostream& operator<<(std::ostream& out, const TensorOptions& options);

} // namespace c10

namespace at {
using c10::device;
using c10::dtype;
using c10::layout;
using c10::requires_grad;
using c10::TensorOptions;
} // namespace at
