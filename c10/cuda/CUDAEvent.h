#pragma once

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <utility>

namespace c10::cuda {

// A mark in a stream. The handle is made when the event is first recorded, on that stream's device;
// an event that was never recorded is done, and nothing waits for it. Timing costs a little, so it
// must be asked for.
//
// An external event is a node of the graph that is captured when it is recorded or waited for, so
// that each launch of the graph records it or waits for it. Other events order the nodes of a
// graph.
class CUDAEvent {
 public:
  explicit CUDAEvent(unsigned int flags = cudaEventDisableTiming, bool external = false)
      : flags_(flags), external_(external) {}
  // An event that another process shares.
  CUDAEvent(DeviceIndex device, const cudaIpcEventHandle_t& handle)
      : flags_(cudaEventDisableTiming | cudaEventInterprocess), device_(device) {
    const CUDAGuard guard(device);
    C10_CUDA_CHECK(cudaIpcOpenEventHandle(&event_, handle));
  }
  ~CUDAEvent() {
    if (event_ == nullptr) return;
    int current = 0;
    C10_CUDA_CHECK_WARN(cudaGetDevice(&current));
    impl::restore_device(device_);
    C10_CUDA_CHECK_WARN(cudaEventDestroy(event_));
    impl::restore_device(static_cast<DeviceIndex>(current));
  }
  CUDAEvent(CUDAEvent&& other) noexcept
      : flags_(other.flags_),
        external_(other.external_),
        device_(other.device_),
        event_(std::exchange(other.event_, nullptr)) {}
  CUDAEvent& operator=(CUDAEvent&& other) noexcept {
    std::swap(flags_, other.flags_);
    std::swap(external_, other.external_);
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
    return *this;
  }
  C10_DISABLE_COPY_AND_ASSIGN(CUDAEvent);

  operator cudaEvent_t() const { return event_; }
  cudaEvent_t event() const { return event_; }
  bool isCreated() const { return event_ != nullptr; }
  DeviceIndex device_index() const { return device_; }

  void record() { record(getCurrentCUDAStream()); }
  void record(const CUDAStream& stream) {
    TORCH_CHECK(
        event_ == nullptr || device_ == stream.device_index(), "Event device ",
        static_cast<int>(device_), " does not match recording stream's device ",
        static_cast<int>(stream.device_index()), ".");
    const CUDAGuard guard(stream.device_index());
    if (event_ == nullptr) create(stream.device_index());
    C10_CUDA_CHECK(cudaEventRecordWithFlags(
        event_, stream.stream(),
        is_node_of_graph(stream) ? cudaEventRecordExternal : cudaEventRecordDefault));
  }
  void recordOnce(const CUDAStream& stream) {
    if (event_ == nullptr) record(stream);
  }
  // Work that the stream gets from now on waits for what was recorded.
  void block(const CUDAStream& stream) const {
    if (event_ == nullptr) return;
    const CUDAGuard guard(stream.device_index());
    C10_CUDA_CHECK(cudaStreamWaitEvent(
        stream.stream(), event_,
        is_node_of_graph(stream) ? cudaEventWaitExternal : cudaEventWaitDefault));
  }
  bool query() const {
    if (event_ == nullptr) return true;
    const cudaError_t error = C10_CUDA_ERROR_HANDLED(cudaEventQuery(event_));
    if (error == cudaErrorNotReady) {
      C10_CUDA_CLEAR_ERROR();
      return false;
    }
    C10_CUDA_CHECK(error);
    return true;
  }
  void synchronize() const {
    if (event_ != nullptr) C10_CUDA_CHECK(cudaEventSynchronize(event_));
  }
  // What other processes open the event by. It must have been made with cudaEventInterprocess.
  cudaIpcEventHandle_t ipc_handle() {
    TORCH_CHECK(
        (flags_ & cudaEventInterprocess) != 0,
        "Only an event made with interprocess=True can be shared with other processes.");
    if (event_ == nullptr) {
      const DeviceIndex device = current_device();
      const CUDAGuard guard(device);
      create(device);
    }
    cudaIpcEventHandle_t handle;
    C10_CUDA_CHECK(cudaIpcGetEventHandle(&handle, event_));
    return handle;
  }
  // In milliseconds.
  float elapsed_time(const CUDAEvent& later) const {
    TORCH_CHECK(
        (flags_ & cudaEventDisableTiming) == 0 && (later.flags_ & cudaEventDisableTiming) == 0,
        "Both events must be created with argument 'enable_timing=True'.");
    TORCH_CHECK(
        event_ != nullptr && later.event_ != nullptr,
        "Both events must be recorded before calculating elapsed time.");
    TORCH_CHECK(
        query() && later.query(), "Both events must be completed before calculating elapsed time.");
    float milliseconds = 0;
    const CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event_, later.event_));
    return milliseconds;
  }

 private:
  // On the current device.
  void create(DeviceIndex device) {
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags_));
    device_ = device;
  }
  bool is_node_of_graph(const CUDAStream& stream) const {
    if (!external_) return false;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    C10_CUDA_CHECK(cudaStreamIsCapturing(stream.stream(), &status));
    return status == cudaStreamCaptureStatusActive;
  }

  unsigned int flags_;
  bool external_ = false;
  DeviceIndex device_ = -1;
  cudaEvent_t event_ = nullptr;
};

} // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAEvent;
} // namespace at::cuda
