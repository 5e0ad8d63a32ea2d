#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <utility>

namespace c10 {

// A mark in a stream that other streams and the host can wait for. It belongs to the device of the
// stream that first records it.
class Event final {
 public:
  explicit Event(DeviceType type, EventFlag flag = EventFlag::PYTORCH_DEFAULT)
      : impl_(impl::getDeviceGuardImpl(type)), type_(type), flag_(flag) {}
  Event(Event&& other) noexcept
      : impl_(other.impl_),
        event_(std::exchange(other.event_, nullptr)),
        type_(other.type_),
        index_(other.index_),
        flag_(other.flag_),
        was_recorded_(std::exchange(other.was_recorded_, false)) {}
  ~Event() {
    if (event_) {
      impl_->destroyEvent(event_, index_);
    }
  }
  C10_DISABLE_COPY_AND_ASSIGN(Event);

  Device device() const noexcept { return Device(type_, index_); }
  EventFlag flag() const noexcept { return flag_; }
  bool was_marked_for_recording() const noexcept { return was_recorded_; }
  void* eventId() const { return event_; }

  void recordOnce(const Stream& stream) {
    if (!was_recorded_) {
      record(stream);
    }
  }
  void record(const Stream& stream) {
    TORCH_CHECK(
        stream.device_type() == type_, "Event device type ", type_,
        " does not match recording stream's device type ", stream.device_type(), ".");
    impl_->record(&event_, stream, index_, flag_);
    was_recorded_ = true;
    index_ = stream.device_index();
  }
  // Work given to the stream from now on waits for what was recorded.
  void block(const Stream& stream) const {
    if (was_recorded_) {
      impl_->block(event_, stream);
    }
  }
  bool query() const { return !was_recorded_ || impl_->queryEvent(event_); }
  void synchronize() const {
    if (was_recorded_) {
      impl_->synchronizeEvent(event_);
    }
  }
  // In milliseconds.
  double elapsedTime(const Event& later) const {
    TORCH_CHECK(
        was_recorded_ && later.was_recorded_,
        "Both events must be recorded before calculating elapsed time.");
    TORCH_CHECK(
        query() && later.query(), "Both events must be completed before calculating elapsed time.");
    return impl_->elapsedTime(event_, later.event_, index_);
  }

 private:
  const impl::DeviceGuardImplInterface* impl_;
  void* event_ = nullptr;
  DeviceType type_;
  DeviceIndex index_ = -1;
  EventFlag flag_;
  bool was_recorded_ = false;
};

} // namespace c10

namespace at {
using c10::Event;
} // namespace at
