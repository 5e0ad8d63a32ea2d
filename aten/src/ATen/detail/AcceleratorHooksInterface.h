#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

namespace at {

// What a back end provides in addition to memory (c10::SetAllocator), devices and streams
// (c10::impl::DeviceGuardImplInterface), copies (c10::CopyBytes) and kernels: initialization,
// generators, and the host memory that it can access. at::Context asks these objects, so that
// nothing else needs to know which back ends exist.
struct TORCH_API AcceleratorHooksInterface {
  AcceleratorHooksInterface() = default;
  virtual ~AcceleratorHooksInterface();
  C10_DISABLE_COPY_AND_ASSIGN(AcceleratorHooksInterface);

  // Whether the back end's code is part of this process.
  virtual bool isBuilt() const { return false; }
  // Whether a device can be used now.
  virtual bool isAvailable() const { return false; }
  // Called once, before the first use of the device type.
  virtual void init() const;
  // Whether a device has been used by this process already.
  virtual bool hasPrimaryContext(DeviceIndex device_index) const = 0;

  virtual DeviceIndex deviceCount() const { return 0; }
  virtual void setCurrentDevice(DeviceIndex device) const;
  virtual DeviceIndex getCurrentDevice() const;
  virtual DeviceIndex exchangeDevice(DeviceIndex device) const;
  virtual DeviceIndex maybeExchangeDevice(DeviceIndex device) const;

  // The allocator of host memory that the device can access.
  virtual bool isPinnedPtr(const void* data) const;
  virtual c10::Allocator* getPinnedMemoryAllocator() const;
  virtual Device getDeviceFromPtr(void* data) const;

  virtual const Generator& getDefaultGenerator(DeviceIndex device_index = -1) const;
  virtual Generator getNewGenerator(DeviceIndex device_index = -1) const;

 protected:
  // For messages.
  virtual const char* backendName() const { return "this backend"; }
};

namespace detail {

// One object per device type, which lives as long as the process. The last one registered counts.
TORCH_API void registerAcceleratorHooks(
    c10::DeviceType type, const AcceleratorHooksInterface* hooks);
// Null when nothing is registered.
TORCH_API const AcceleratorHooksInterface* getAcceleratorHooksOrNull(c10::DeviceType type);

} // namespace detail
} // namespace at
