#pragma once

#include <ATen/detail/AcceleratorHooksInterface.h>

#include <cstdint>
#include <string>

namespace at {

// Questions that the library asks only about CUDA. The defaults are the answers of a build without
// CUDA.
struct TORCH_API CUDAHooksInterface : AcceleratorHooksInterface {
  void init() const override;
  bool hasPrimaryContext(DeviceIndex device_index) const override;
  const Generator& getDefaultGenerator(DeviceIndex device_index = -1) const override;
  Generator getNewGenerator(DeviceIndex device_index = -1) const override;
  Device getDeviceFromPtr(void* data) const override;
  bool isPinnedPtr(const void*) const override { return false; }
  c10::Allocator* getPinnedMemoryAllocator() const override;

  virtual bool hasCUDA() const { return false; }
  virtual bool hasCUDART() const { return false; }
  virtual bool hasMAGMA() const { return false; }
  virtual bool hasCuDNN() const { return false; }
  virtual bool hasCuSOLVER() const { return false; }
  virtual bool hasCuBLASLt() const { return false; }
  virtual bool hasROCM() const { return false; }
  virtual long versionCuDNN() const;
  virtual long versionCUDART() const;
  virtual std::string showConfig() const;
  virtual int getNumGPUs() const { return 0; }
  virtual DeviceIndex current_device() const { return -1; }
  virtual void deviceSynchronize(DeviceIndex device_index) const;

  DeviceIndex deviceCount() const override { return static_cast<DeviceIndex>(getNumGPUs()); }

 protected:
  const char* backendName() const override { return "CUDA"; }
};

#define REGISTER_CUDA_HOOKS(Hooks)                         \
  static const bool C10_ANONYMOUS_VARIABLE(g_cuda_hooks) = \
      (::at::detail::registerAcceleratorHooks(::c10::DeviceType::CUDA, new Hooks), true);

namespace detail {
TORCH_API const CUDAHooksInterface& getCUDAHooks();
} // namespace detail

} // namespace at
