#pragma once

// Scopes in which a CUDA device or stream is current. They do what c10::DeviceGuard and
// c10::StreamGuard do, and call the implementation without looking it up by device type.

#include <c10/core/Device.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/impl/CUDAGuardImpl.h>
#include <c10/util/ArrayRef.h>

#include <optional>
#include <vector>

namespace c10::cuda {

class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex index) : original_(impl::exchange_device(index)), current_(index) {
    if (index == -1) current_ = original_;
  }
  explicit CUDAGuard(Device device) : CUDAGuard(impl::checked_index(device)) {}
  ~CUDAGuard() { impl::restore_device(original_); }
  C10_DISABLE_COPY_AND_ASSIGN(CUDAGuard);

  void set_index(DeviceIndex index) {
    impl::exchange_device(index);
    current_ = index;
  }
  void set_device(Device device) { set_index(impl::checked_index(device)); }
  Device original_device() const { return {DeviceType::CUDA, original_}; }
  Device current_device() const { return {DeviceType::CUDA, current_}; }

 private:
  DeviceIndex original_;
  DeviceIndex current_;
};

class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(DeviceIndex index) { guard_.emplace(index); }
  explicit OptionalCUDAGuard(std::optional<Device> device) {
    if (device) guard_.emplace(*device);
  }
  C10_DISABLE_COPY_AND_ASSIGN(OptionalCUDAGuard);

  void set_index(DeviceIndex index) {
    if (guard_) {
      guard_->set_index(index);
    } else {
      guard_.emplace(index);
    }
  }
  void set_device(Device device) { set_index(impl::checked_index(device)); }
  void reset() { guard_.reset(); }
  std::optional<Device> original_device() const {
    return guard_ ? std::optional<Device>(guard_->original_device()) : std::nullopt;
  }
  std::optional<Device> current_device() const {
    return guard_ ? std::optional<Device>(guard_->current_device()) : std::nullopt;
  }

 private:
  std::optional<CUDAGuard> guard_;
};

// Makes a stream current on its device, and that device current.
class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(Stream stream)
      : device_(stream.device()),
        original_(getCurrentCUDAStream(stream.device_index())),
        current_(CUDAStream(stream)) {
    setCurrentCUDAStream(current_);
  }
  ~CUDAStreamGuard() { setCurrentCUDAStream(original_); }
  C10_DISABLE_COPY_AND_ASSIGN(CUDAStreamGuard);

  CUDAStream original_stream() const { return original_; }
  CUDAStream current_stream() const { return current_; }
  Device original_device() const { return device_.original_device(); }
  Device current_device() const { return device_.current_device(); }

 private:
  CUDAGuard device_;
  CUDAStream original_;
  CUDAStream current_;
};

// Makes streams current, each on its own device; the current device stays.
class CUDAMultiStreamGuard {
 public:
  explicit CUDAMultiStreamGuard(ArrayRef<CUDAStream> streams) {
    originals_.reserve(streams.size());
    for (const CUDAStream& stream : streams) {
      originals_.push_back(getCurrentCUDAStream(stream.device_index()));
      setCurrentCUDAStream(stream);
    }
  }
  ~CUDAMultiStreamGuard() {
    for (auto stream = originals_.rbegin(); stream != originals_.rend(); ++stream) {
      setCurrentCUDAStream(*stream);
    }
  }
  C10_DISABLE_COPY_AND_ASSIGN(CUDAMultiStreamGuard);

 private:
  std::vector<CUDAStream> originals_;
};

} // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAMultiStreamGuard;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::OptionalCUDAGuard;
} // namespace at::cuda
