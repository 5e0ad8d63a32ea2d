#pragma once

#include <c10/core/DefaultDtype.h>
#include <c10/core/Device.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>
#include <c10/util/typeid.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

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
  return device.has_value() ? *device : Device(default_device_type);
}
inline bool pinned_memory_or_default(std::optional<bool> pinned) {
  return pinned.value_or(false);
}
C10_API DispatchKey computeDispatchKey(
    std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device);

// How to create a tensor: each property is either set or left to its default. All properties are
// packed into one word, which is passed in a register and needs no allocation.
struct TensorOptions {
  constexpr TensorOptions() = default;
  constexpr TensorOptions(Layout layout) { set(kLayout, layout); }
  constexpr TensorOptions(Device device) { set_device(device); }
  constexpr TensorOptions(DeviceType type) { set_device(Device(type)); }
  constexpr TensorOptions(caffe2::TypeMeta dtype) { set(kDtype, dtype.toScalarType()); }
  constexpr TensorOptions(ScalarType dtype) { set(kDtype, dtype); }
  constexpr TensorOptions(MemoryFormat format) { set(kFormat, format); }
  TensorOptions(const std::string& device) : TensorOptions(Device(device)) {}
  TensorOptions(const char* device) : TensorOptions(Device(device)) {}

  [[nodiscard]] constexpr TensorOptions device(std::optional<Device> device) const {
    TensorOptions r = *this;
    r.clear(kDevice);
    if (device.has_value()) r.set_device(*device);
    return r;
  }
  [[nodiscard]] constexpr TensorOptions device(Device device) const {
    TensorOptions r = *this;
    r.set_device(device);
    return r;
  }
  template <typename... Args>
  [[nodiscard]] TensorOptions device(Args&&... args) const {
    return device(std::optional<Device>(std::in_place, std::forward<Args>(args)...));
  }
  [[nodiscard]] TensorOptions device_index(DeviceIndex index) const {
    return device(Device(DeviceType::CUDA, index));
  }
  [[nodiscard]] constexpr TensorOptions dtype(std::optional<caffe2::TypeMeta> dtype) const {
    return this->dtype(dtype ? std::optional<ScalarType>(dtype->toScalarType()) : std::nullopt);
  }
  [[nodiscard]] constexpr TensorOptions dtype(std::optional<ScalarType> dtype) const {
    return with(kDtype, dtype);
  }
  [[nodiscard]] constexpr TensorOptions dtype(ScalarType dtype) const {
    TensorOptions r = *this;
    r.set(kDtype, dtype);
    return r;
  }
  [[nodiscard]] constexpr TensorOptions dtype(caffe2::TypeMeta dtype) const {
    return this->dtype(dtype.toScalarType());
  }
  template <typename T>
  TensorOptions& dtype() {
    set(kDtype, CppTypeToScalarType<T>::value);
    return *this;
  }
  [[nodiscard]] constexpr TensorOptions layout(std::optional<Layout> layout) const {
    return with(kLayout, layout);
  }
  [[nodiscard]] constexpr TensorOptions requires_grad(std::optional<bool> requires_grad) const {
    return with(kGrad, requires_grad);
  }
  [[nodiscard]] constexpr TensorOptions pinned_memory(std::optional<bool> pinned) const {
    return with(kPinned, pinned);
  }
  [[nodiscard]] constexpr TensorOptions memory_format(std::optional<MemoryFormat> format) const {
    return with(kFormat, format);
  }

  Device device() const { return has_device() ? named_device() : Device(default_device_type); }
  constexpr bool has_device() const { return has(kDevice); }
  std::optional<Device> device_opt() const {
    return has_device() ? std::optional<Device>(named_device()) : std::nullopt;
  }
  DeviceIndex device_index() const { return device().index(); }
  caffe2::TypeMeta dtype() const { return dtype_or_default(scalar_type_opt()); }
  constexpr bool has_dtype() const { return has(kDtype); }
  std::optional<caffe2::TypeMeta> dtype_opt() const {
    return get<caffe2::TypeMeta, ScalarType>(kDtype);
  }
  // The dtype if it is set, without a TypeMeta in between.
  constexpr std::optional<ScalarType> scalar_type_opt() const { return get<ScalarType>(kDtype); }
  constexpr Layout layout() const { return get<Layout>(kLayout).value_or(kStrided); }
  constexpr bool has_layout() const { return has(kLayout); }
  constexpr std::optional<Layout> layout_opt() const { return get<Layout>(kLayout); }
  constexpr bool requires_grad() const { return byte(kGrad) != 0; }
  constexpr bool has_requires_grad() const { return has(kGrad); }
  constexpr std::optional<bool> requires_grad_opt() const { return get<bool>(kGrad); }
  constexpr bool pinned_memory() const { return byte(kPinned) != 0; }
  constexpr bool has_pinned_memory() const { return has(kPinned); }
  constexpr std::optional<bool> pinned_memory_opt() const { return get<bool>(kPinned); }
  constexpr bool has_memory_format() const { return has(kFormat); }
  constexpr std::optional<MemoryFormat> memory_format_opt() const {
    return get<MemoryFormat>(kFormat);
  }
  constexpr bool is_sparse() const { return has_layout() && layout() == kSparse; }

  // Combines two sets of options; those of `other` take precedence.
  constexpr TensorOptions merge_in(TensorOptions other) const noexcept {
    uint64_t taken = 0;
    for (unsigned slot = 0; slot < kNames; ++slot) {
      if (other.has(slot)) taken |= mask(slot);
    }
    TensorOptions r;
    r.bits_ = (bits_ & ~taken) | (other.bits_ & taken);
    return r;
  }
  constexpr TensorOptions merge_memory_format(std::optional<MemoryFormat> format) const noexcept {
    return format ? memory_format(format) : *this;
  }

  DispatchKey computeDispatchKey() const {
    return c10::computeDispatchKey(scalar_type_opt(), layout_opt(), device_opt());
  }

 private:
  // One byte per value; the last byte has one bit per property that is set.
  enum Slot : unsigned { kDtype, kDevice, kDeviceIndex, kLayout, kFormat, kGrad, kPinned, kNames };

  static constexpr uint64_t mask(unsigned slot) {
    const uint64_t value = uint64_t{0xff} << (8 * slot);
    const uint64_t name = uint64_t{1} << (8 * kNames + slot);
    return slot == kDevice ? value | value << 8 | name : value | name;
  }
  constexpr bool has(unsigned slot) const { return bits_ >> (8 * kNames + slot) & 1; }
  constexpr uint8_t byte(unsigned slot) const { return static_cast<uint8_t>(bits_ >> (8 * slot)); }
  constexpr void clear(Slot slot) { bits_ &= ~mask(slot); }
  template <typename T>
  constexpr void set(Slot slot, T value) {
    clear(slot);
    bits_ |= uint64_t{static_cast<uint8_t>(value)} << (8 * slot);
    bits_ |= uint64_t{1} << (8 * kNames + slot);
  }
  constexpr void set_device(Device device) {
    set(kDevice, device.type());
    bits_ |= uint64_t{static_cast<uint8_t>(device.index())} << (8 * kDeviceIndex);
  }
  template <typename T>
  constexpr TensorOptions with(Slot slot, std::optional<T> value) const {
    TensorOptions r = *this;
    r.clear(slot);
    if (value.has_value()) r.set(slot, *value);
    return r;
  }
  template <typename T, typename Stored = T>
  constexpr std::optional<T> get(Slot slot) const {
    return has(slot) ? std::optional<T>(static_cast<Stored>(byte(slot))) : std::nullopt;
  }
  Device named_device() const {
    return Device(
        static_cast<DeviceType>(byte(kDevice)), static_cast<DeviceIndex>(byte(kDeviceIndex)));
  }

  uint64_t bits_ = 0;
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
