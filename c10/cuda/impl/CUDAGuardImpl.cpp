// CUDA's part of the device seam: devices, streams and events for code that names no device type.

#include <c10/core/Allocator.h>
#include <c10/core/CopyBytes.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CachingHostAllocator.h>
#include <c10/cuda/impl/CUDAGuardImpl.h>

namespace c10::cuda::impl {

DeviceIndex exchange_device(DeviceIndex index) {
  return index == -1 ? current_device() : c10::cuda::exchange_device(index);
}

void restore_device(DeviceIndex index) noexcept {
  int current = -1;
  const cudaError_t error = C10_CUDA_ERROR_HANDLED(cudaGetDevice(&current));
  if (error == cudaSuccess && current == index) return;
  C10_CUDA_CHECK_WARN(cudaSetDevice(index));
}

DeviceIndex checked_index(Device device) {
  TORCH_CHECK(device.is_cuda(), "expected a CUDA device, got ", device);
  return device.index();
}

namespace {

struct GuardImpl final : c10::impl::DeviceGuardImplInterface {
  DeviceType type() const override { return DeviceType::CUDA; }
  Device exchangeDevice(Device device) const override {
    return {DeviceType::CUDA, exchange_device(checked_index(device))};
  }
  Device getDevice() const override { return {DeviceType::CUDA, current_device()}; }
  void setDevice(Device device) const override { exchange_device(checked_index(device)); }
  void uncheckedSetDevice(Device device) const noexcept override { restore_device(device.index()); }
  DeviceIndex deviceCount() const noexcept override { return device_count(); }

  Stream getStream(Device device) const override {
    return getCurrentCUDAStream(device.index()).unwrap();
  }
  Stream getDefaultStream(Device device) const override {
    return getDefaultCUDAStream(device.index()).unwrap();
  }
  Stream getStreamFromGlobalPool(Device device, bool high_priority) const override {
    return getStreamFromPool(high_priority, device.index()).unwrap();
  }
  Stream getNewStream(Device device, int priority) const override {
    return getStreamFromPool(priority, device.index()).unwrap();
  }
  Stream exchangeStream(Stream stream) const override {
    const Stream old = getCurrentCUDAStream(stream.device_index()).unwrap();
    setCurrentCUDAStream(CUDAStream(stream));
    return old;
  }
  void* getStreamNativeHandle(Stream stream) const override { return CUDAStream(stream).stream(); }
  bool queryStream(const Stream& stream) const override { return CUDAStream(stream).query(); }
  void synchronizeStream(const Stream& stream) const override { CUDAStream(stream).synchronize(); }
  void synchronizeDevice(DeviceIndex index) const override {
    const CUDAGuard guard(index);
    device_synchronize();
  }
  void recordDataPtrOnStream(const DataPtr& data, const Stream& stream) const override {
    CUDACachingAllocator::recordStream(data, CUDAStream(stream));
  }

  void record(
      void** event, const Stream& stream, DeviceIndex device_index, EventFlag flag) const override {
    TORCH_CHECK(
        device_index == -1 || device_index == stream.device_index(), "Event device index ",
        static_cast<int>(device_index), " does not match recording stream's device index ",
        static_cast<int>(stream.device_index()), ".");
    const CUDAGuard guard(stream.device());
    if (*event == nullptr) {
      cudaEvent_t made = nullptr;
      C10_CUDA_CHECK(cudaEventCreateWithFlags(
          &made, flag == EventFlag::BACKEND_DEFAULT ? cudaEventDefault : cudaEventDisableTiming));
      *event = made;
    }
    C10_CUDA_CHECK(cudaEventRecord(static_cast<cudaEvent_t>(*event), CUDAStream(stream).stream()));
  }
  void block(void* event, const Stream& stream) const override {
    if (event == nullptr) return;
    const CUDAGuard guard(stream.device());
    C10_CUDA_CHECK(
        cudaStreamWaitEvent(CUDAStream(stream).stream(), static_cast<cudaEvent_t>(event)));
  }
  bool queryEvent(void* event) const override {
    if (event == nullptr) return true;
    const cudaError_t error =
        C10_CUDA_ERROR_HANDLED(cudaEventQuery(static_cast<cudaEvent_t>(event)));
    if (error != cudaErrorNotReady) {
      C10_CUDA_CHECK(error);
      return true;
    }
    C10_CUDA_CLEAR_ERROR();
    return false;
  }
  void synchronizeEvent(void* event) const override {
    if (event != nullptr) C10_CUDA_CHECK(cudaEventSynchronize(static_cast<cudaEvent_t>(event)));
  }
  double elapsedTime(void* first, void* second, DeviceIndex index) const override {
    const CUDAGuard guard(index);
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(
        &milliseconds, static_cast<cudaEvent_t>(first), static_cast<cudaEvent_t>(second)));
    return milliseconds;
  }
  void destroyEvent(void* event, DeviceIndex) const noexcept override {
    if (event != nullptr) C10_CUDA_CHECK_WARN(cudaEventDestroy(static_cast<cudaEvent_t>(event)));
  }
};

C10_REGISTER_GUARD_IMPL(CUDA, GuardImpl)

// Copies are ordered with the current stream of the CUDA device.
template <bool asynchronous>
void copy(size_t bytes, const void* from, Device from_device, void* to, Device to_device) {
  const Device device = from_device.is_cuda() ? from_device : to_device;
  const CUDAGuard guard(device);
  const CUDAStream stream = getCurrentCUDAStream(device.index());
  C10_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.stream()));
  if (asynchronous) {
    CachingHostAllocator::recordStream(from_device.is_cuda() ? to : from, stream);
  } else {
    stream.synchronize();
  }
}

// Between two devices, the source's current stream copies. It first waits for the target's, which
// may still use what the target's memory was before, and that stream then waits for the copy.
void copy_on_devices(
    size_t bytes, const void* from, Device from_device, void* to, Device to_device) {
  if (from_device == to_device) return copy<true>(bytes, from, from_device, to, to_device);
  const CUDAStream source = getCurrentCUDAStream(from_device.index());
  const CUDAStream target = getCurrentCUDAStream(to_device.index());
  CUDAEvent free;
  free.record(target);
  free.block(source);
  const CUDAGuard guard(from_device);
  C10_CUDA_CHECK(cudaMemcpyPeerAsync(
      to, to_device.index(), from, from_device.index(), bytes, source.stream()));
  CUDAEvent done;
  done.record(source);
  done.block(target);
}

REGISTER_COPY_BYTES_FUNCTION(DeviceType::CPU, DeviceType::CUDA, copy<false>, copy<true>)
REGISTER_COPY_BYTES_FUNCTION(DeviceType::CUDA, DeviceType::CPU, copy<false>, copy<true>)
REGISTER_COPY_BYTES_FUNCTION(DeviceType::CUDA, DeviceType::CUDA, copy_on_devices)

} // namespace
} // namespace c10::cuda::impl
