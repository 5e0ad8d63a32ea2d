#pragma once

#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>

namespace c10 {

// Makes a stream and its device current for a scope.
class StreamGuard {
 public:
  explicit StreamGuard(Stream stream)
      : device_guard_(stream.device()),
        impl_(impl::getDeviceGuardImpl(stream.device_type())),
        original_(impl_->exchangeStream(stream)),
        current_(stream) {}
  ~StreamGuard() { impl_->exchangeStream(original_); }
  C10_DISABLE_COPY_AND_ASSIGN(StreamGuard);

  Stream original_stream() const { return original_; }
  Stream current_stream() const { return current_; }
  Device original_device() const { return device_guard_.original_device(); }
  Device current_device() const { return device_guard_.current_device(); }

 private:
  DeviceGuard device_guard_;
  const impl::DeviceGuardImplInterface* impl_;
  Stream original_;
  Stream current_;
};

} // namespace c10

namespace at {
using c10::StreamGuard;
} // namespace at
