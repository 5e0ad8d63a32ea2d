#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <iosfwd>

namespace c10 {

using StreamId = int64_t;

// A queue of work on a device. CPU work is synchronous, so all CPU streams are equivalent.
class C10_API Stream final {
 public:
  enum Default { DEFAULT };
  enum Unsafe { UNSAFE };

  Stream(Unsafe, Device device, StreamId id) : device_(device), id_(id) {}
  Stream(Default, Device device) : device_(device), id_(0) {}

  bool operator==(const Stream& other) const noexcept {
    return device_ == other.device_ && id_ == other.id_;
  }
  Device device() const noexcept { return device_; }
  DeviceType device_type() const noexcept { return device_.type(); }
  DeviceIndex device_index() const noexcept { return device_.index(); }
  StreamId id() const noexcept { return id_; }
  // These ask the device type's guard implementation.
  bool query() const;
  void synchronize() const;
  void* native_handle() const;

 private:
  Device device_;
  StreamId id_;
};

C10_API std::ostream& operator<<(std::ostream& out, const Stream& stream);

} // namespace c10

namespace at {
using c10::Stream;
} // namespace at
