#pragma once

#include <c10/core/Stream.h>

namespace c10::impl {

// The interface of a device type that has several devices.
struct C10_API DeviceGuardImplInterface {
  virtual ~DeviceGuardImplInterface();
  virtual DeviceType type() const = 0;
  virtual Device exchangeDevice(Device device) const = 0;
  virtual Device getDevice() const = 0;
  virtual void setDevice(Device device) const = 0;
  virtual Stream getStream(Device device) const = 0;
  virtual DeviceIndex deviceCount() const noexcept = 0;
};

C10_API void registerDeviceGuardImpl(DeviceType type, const DeviceGuardImplInterface* impl);
C10_API const DeviceGuardImplInterface* getDeviceGuardImplOrNull(DeviceType type);

} // namespace c10::impl
