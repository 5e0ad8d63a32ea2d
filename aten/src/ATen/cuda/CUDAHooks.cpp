// What libtorch_cpu asks of CUDA: registering the hooks is how it learns that libtorch_cuda is
// here.

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDADnn.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CachingHostAllocator.h>

#include <array>
#include <sstream>

namespace at::cuda {

namespace {

Device device_of_pointer(const void* data) {
  cudaPointerAttributes attributes{};
  C10_CUDA_CHECK(cudaPointerGetAttributes(&attributes, data));
  TORCH_CHECK(
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged,
      "The specified pointer resides on host memory and is not registered with any CUDA device.");
  return Device(c10::DeviceType::CUDA, static_cast<DeviceIndex>(attributes.device));
}

struct CUDAHooks final : CUDAHooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return is_available(); }
  void init() const override { c10::cuda::device_count_ensure_non_zero(); }
  bool hasPrimaryContext(DeviceIndex device) const override {
    TORCH_CHECK(
        device >= 0 && device < getNumGPUs(),
        "hasPrimaryContext expects a valid device index, got ", static_cast<int>(device));
    // The runtime makes a device's context when the first stream or block of it is asked for.
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device);
    return stats.num_device_alloc > 0;
  }

  void setCurrentDevice(DeviceIndex device) const override { c10::cuda::set_device(device); }
  DeviceIndex getCurrentDevice() const override { return c10::cuda::current_device(); }
  DeviceIndex exchangeDevice(DeviceIndex device) const override {
    return c10::cuda::exchange_device(device);
  }
  DeviceIndex maybeExchangeDevice(DeviceIndex device) const override {
    return c10::cuda::exchange_device(device);
  }

  bool isPinnedPtr(const void* data) const override {
    if (!is_available()) {
      return false;
    }
    if (c10::cuda::CachingHostAllocator::isPinned(data)) {
      return true;
    }
    // Someone else may have pinned the memory.
    cudaPointerAttributes attributes{};
    const cudaError_t error = C10_CUDA_ERROR_HANDLED(cudaPointerGetAttributes(&attributes, data));
    if (error != cudaSuccess) {
      C10_CUDA_CLEAR_ERROR();
      return false;
    }
    return attributes.type == cudaMemoryTypeHost;
  }
  c10::Allocator* getPinnedMemoryAllocator() const override {
    c10::cuda::device_count_ensure_non_zero();
    return c10::cuda::CachingHostAllocator::get();
  }
  Device getDeviceFromPtr(void* data) const override { return device_of_pointer(data); }

  const Generator& getDefaultGenerator(DeviceIndex device) const override {
    return detail::getDefaultCUDAGenerator(device);
  }
  Generator getNewGenerator(DeviceIndex device) const override {
    return detail::createCUDAGenerator(device);
  }

  bool hasCUDA() const override { return is_available(); }
  bool hasCUDART() const override { return true; }
  bool hasCuDNN() const override { return dnn::version() != 0; }
  long versionCuDNN() const override {
    TORCH_CHECK(
        hasCuDNN(),
        "Cannot query cuDNN version if ATen_cuda is not built with cuDNN (USE_CUDNN=1)");
    return dnn::version();
  }
  long versionCUDART() const override {
    int version = 0;
    C10_CUDA_CHECK(cudaRuntimeGetVersion(&version));
    return version;
  }
  std::string showConfig() const override {
    std::ostringstream text;
    const long version = versionCUDART();
    text << "  - CUDA Runtime " << version / 1000 << '.' << version % 1000 / 10;
#if defined(C10_CUDA_EMULATED)
    text << " (emulated on the CPU)";
#endif
    text << '\n';
    return text.str();
  }
  int getNumGPUs() const override {
    return static_cast<int>(c10::cuda::device_count());
  }
  DeviceIndex current_device() const override {
    return is_available() ? c10::cuda::current_device() : DeviceIndex(-1);
  }
  void deviceSynchronize(DeviceIndex device) const override {
    const c10::cuda::CUDAGuard guard(device);
    c10::cuda::device_synchronize();
  }
};

REGISTER_CUDA_HOOKS(CUDAHooks)

} // namespace
} // namespace at::cuda
