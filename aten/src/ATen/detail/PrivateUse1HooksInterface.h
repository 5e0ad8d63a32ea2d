#pragma once

#include <ATen/detail/AcceleratorHooksInterface.h>
#include <c10/core/Storage.h>

#include <cstddef>

namespace at {

// The hooks of the back end that an extension adds as PrivateUse1.
struct TORCH_API PrivateUse1HooksInterface : AcceleratorHooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(DeviceIndex device_index) const override;
  const Generator& getDefaultGenerator(DeviceIndex device_index = -1) const override;
  Device getDeviceFromPtr(void* data) const override;
  c10::Allocator* getPinnedMemoryAllocator() const override;
  virtual void resizePrivateUse1Bytes(const c10::Storage& storage, size_t new_bytes) const;

 protected:
  const char* backendName() const override { return "PrivateUse1"; }
};

// Once, by the extension; the object must live as long as the process.
TORCH_API void RegisterPrivateUse1HooksInterface(PrivateUse1HooksInterface* hooks);
TORCH_API bool isPrivateUse1HooksRegistered();

namespace detail {
TORCH_API const PrivateUse1HooksInterface& getPrivateUse1Hooks();
} // namespace detail

} // namespace at
