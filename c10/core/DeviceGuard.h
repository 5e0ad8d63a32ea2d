#pragma once

#include <c10/core/Device.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <optional>

namespace c10 {

// Makes a device current for a scope. A device without an index leaves the current one.
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device)
      : DeviceGuard(device, impl::getDeviceGuardImpl(device.type())) {}
  // For tests: uses the given implementation.
  DeviceGuard(Device device, const impl::DeviceGuardImplInterface* impl)
      : impl_(impl),
        original_(device.has_index() ? impl->exchangeDevice(device) : impl->getDevice()),
        current_(device.has_index() ? device : original_) {}
  ~DeviceGuard() { impl_->uncheckedSetDevice(original_); }
  C10_DISABLE_COPY_AND_ASSIGN(DeviceGuard);

  // Another device of the same type; the destructor still goes back to the original one.
  void set_index(DeviceIndex index) {
    current_ = Device(original_.type(), index);
    impl_->setDevice(current_);
  }
  Device original_device() const { return original_; }
  Device current_device() const { return current_; }

 private:
  const impl::DeviceGuardImplInterface* impl_;
  Device original_;
  Device current_;
};

class OptionalDeviceGuard {
 public:
  OptionalDeviceGuard() = default;
  explicit OptionalDeviceGuard(Device device) { guard_.emplace(device); }
  explicit OptionalDeviceGuard(std::optional<Device> device) {
    if (device) {
      guard_.emplace(*device);
    }
  }
  C10_DISABLE_COPY_AND_ASSIGN(OptionalDeviceGuard);

  void reset_device(Device device) { guard_.emplace(device); }
  std::optional<Device> original_device() const {
    return guard_ ? std::optional<Device>(guard_->original_device()) : std::nullopt;
  }
  std::optional<Device> current_device() const {
    return guard_ ? std::optional<Device>(guard_->current_device()) : std::nullopt;
  }

 private:
  std::optional<DeviceGuard> guard_;
};

} // namespace c10

namespace at {
using c10::DeviceGuard;
using c10::OptionalDeviceGuard;
} // namespace at
