#pragma once

#include <c10/core/Device.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <optional>

namespace c10 {

// Makes a device current for a scope. Device types without a registered implementation (the CPU,
// Meta) have only one device, and the guard does nothing.
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device)
      : impl_(impl::getDeviceGuardImplOrNull(device.type())), original_(device) {
    if (impl_) {
      original_ = impl_->exchangeDevice(device);
    }
  }
  ~DeviceGuard() {
    if (impl_) {
      impl_->setDevice(original_);
    }
  }
  C10_DISABLE_COPY_AND_ASSIGN(DeviceGuard);

  Device original_device() const { return original_; }

 private:
  const impl::DeviceGuardImplInterface* impl_;
  Device original_;
};

class OptionalDeviceGuard {
 public:
  OptionalDeviceGuard() = default;
  explicit OptionalDeviceGuard(std::optional<Device> device) {
    if (device) {
      guard_.emplace(*device);
    }
  }

 private:
  std::optional<DeviceGuard> guard_;
};

} // namespace c10

namespace at {
using c10::DeviceGuard;
using c10::OptionalDeviceGuard;
} // namespace at
