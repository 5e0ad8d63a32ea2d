#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstdint>

namespace c10 {

class DataPtr;

// How an event is to be made; back ends give the flags a meaning.
enum class EventFlag {
  PYTORCH_DEFAULT,
  BACKEND_DEFAULT,
  INVALID,
};

namespace impl {

// What a device type provides so that device-independent code can choose devices and streams, and
// order and await work, without naming the type. A back end derives from this and registers one
// object with C10_REGISTER_GUARD_IMPL. The current device and streams belong to the calling thread.
struct C10_API DeviceGuardImplInterface {
  DeviceGuardImplInterface() = default;
  virtual ~DeviceGuardImplInterface();
  C10_DISABLE_COPY_AND_ASSIGN(DeviceGuardImplInterface);

  // ---- devices
  virtual DeviceType type() const = 0;
  // Makes a device current and returns the one that was.
  virtual Device exchangeDevice(Device device) const = 0;
  virtual Device getDevice() const = 0;
  virtual void setDevice(Device device) const = 0;
  // For destructors: reports failures by a warning at most.
  virtual void uncheckedSetDevice(Device device) const noexcept = 0;
  // Zero when there is no device, or the devices cannot be asked.
  virtual DeviceIndex deviceCount() const noexcept = 0;

  // ---- streams
  virtual Stream getStream(Device device) const = 0;
  virtual Stream getDefaultStream(Device device) const;
  virtual Stream getStreamFromGlobalPool(Device device, bool high_priority = false) const;
  virtual Stream getNewStream(Device device, int priority = 0) const;
  // Makes a stream current on its device and returns the one that was.
  virtual Stream exchangeStream(Stream stream) const = 0;
  virtual void* getStreamNativeHandle(Stream stream) const;
  virtual bool queryStream(const Stream& stream) const;
  virtual void synchronizeStream(const Stream& stream) const;
  virtual void synchronizeDevice(DeviceIndex index) const;
  // Keeps memory from being reused before the work that the stream has now is done.
  virtual void recordDataPtrOnStream(const DataPtr& data, const Stream& stream) const;

  // ---- events. *event is null until it is first recorded.
  virtual void record(
      void** event, const Stream& stream, DeviceIndex device_index, EventFlag flag) const;
  virtual void block(void* event, const Stream& stream) const;
  virtual bool queryEvent(void* event) const;
  virtual void synchronizeEvent(void* event) const;
  virtual double elapsedTime(void* event1, void* event2, DeviceIndex device_index) const;
  virtual void destroyEvent(void* event, DeviceIndex device_index) const noexcept;
};

// For device types of one device without queues: the CPU, and Meta.
template <DeviceType D>
struct NoOpDeviceGuardImpl : DeviceGuardImplInterface {
  DeviceType type() const override { return D; }
  Device exchangeDevice(Device) const override { return Device(D, -1); }
  Device getDevice() const override { return Device(D, -1); }
  void setDevice(Device) const override {}
  void uncheckedSetDevice(Device) const noexcept override {}
  DeviceIndex deviceCount() const noexcept override { return 1; }
  Stream getStream(Device) const override { return Stream(Stream::DEFAULT, Device(D, -1)); }
  Stream getNewStream(Device, int) const override { return getStream(Device(D, -1)); }
  Stream exchangeStream(Stream) const override { return getStream(Device(D, -1)); }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}
  void synchronizeDevice(DeviceIndex) const override {}
  void recordDataPtrOnStream(const DataPtr&, const Stream&) const override {}
};

extern C10_API std::atomic<const DeviceGuardImplInterface*>
    device_guard_impl_registry[COMPILE_TIME_MAX_DEVICE_TYPES];

inline bool hasDeviceGuardImpl(DeviceType type) {
  return device_guard_impl_registry[static_cast<uint8_t>(type)].load(std::memory_order_acquire) !=
      nullptr;
}
C10_API const DeviceGuardImplInterface* getDeviceGuardImpl(DeviceType type);
C10_API void registerDeviceGuardImpl(DeviceType type, const DeviceGuardImplInterface* impl);

class C10_API DeviceGuardImplRegistrar {
 public:
  DeviceGuardImplRegistrar(DeviceType type, const DeviceGuardImplInterface* impl) {
    registerDeviceGuardImpl(type, impl);
  }
};

// The object lives as long as the process, because threads may end after its library's statics.
#define C10_REGISTER_GUARD_IMPL(DevType, ...)                                                  \
  static ::c10::impl::DeviceGuardImplRegistrar C10_ANONYMOUS_VARIABLE(g_guard_impl_##DevType)( \
      ::c10::DeviceType::DevType, new __VA_ARGS__());

} // namespace impl
} // namespace c10
