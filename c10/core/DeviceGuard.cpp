#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <ostream>

namespace c10 {

bool Stream::query() const {
  return impl::getDeviceGuardImpl(device_.type())->queryStream(*this);
}
void Stream::synchronize() const {
  impl::getDeviceGuardImpl(device_.type())->synchronizeStream(*this);
}
void* Stream::native_handle() const {
  return impl::getDeviceGuardImpl(device_.type())->getStreamNativeHandle(*this);
}

std::ostream& operator<<(std::ostream& out, const Stream& stream) {
  return out << "stream " << stream.id() << " on device " << stream.device();
}

namespace impl {

DeviceGuardImplInterface::~DeviceGuardImplInterface() = default;

namespace {

[[noreturn]] void no_events(const DeviceGuardImplInterface& impl) {
  TORCH_CHECK(false, DeviceTypeName(impl.type(), true), " backend doesn't support events.");
  C10_UNREACHABLE();
}
[[noreturn]] void no(const DeviceGuardImplInterface& impl, const char* what) {
  TORCH_CHECK(false, DeviceTypeName(impl.type(), true), " backend doesn't support ", what, ".");
  C10_UNREACHABLE();
}

} // namespace

Stream DeviceGuardImplInterface::getDefaultStream(Device) const {
  no(*this, "acquiring a default stream");
}
Stream DeviceGuardImplInterface::getStreamFromGlobalPool(Device, bool) const {
  no(*this, "acquiring a stream from pool");
}
Stream DeviceGuardImplInterface::getNewStream(Device, int) const {
  no(*this, "create a new Stream");
}
void* DeviceGuardImplInterface::getStreamNativeHandle(Stream) const {
  no(*this, "native handles of streams");
}
bool DeviceGuardImplInterface::queryStream(const Stream&) const {
  no(*this, "querying streams");
}
void DeviceGuardImplInterface::synchronizeStream(const Stream&) const {
  no(*this, "synchronizing streams");
}
void DeviceGuardImplInterface::synchronizeDevice(DeviceIndex) const {
  no(*this, "synchronizing all streams on device");
}
void DeviceGuardImplInterface::recordDataPtrOnStream(const DataPtr&, const Stream&) const {}

void DeviceGuardImplInterface::record(void**, const Stream&, DeviceIndex, EventFlag) const {
  no_events(*this);
}
void DeviceGuardImplInterface::block(void*, const Stream&) const {
  no_events(*this);
}
bool DeviceGuardImplInterface::queryEvent(void*) const {
  no_events(*this);
}
void DeviceGuardImplInterface::synchronizeEvent(void*) const {
  no_events(*this);
}
double DeviceGuardImplInterface::elapsedTime(void*, void*, DeviceIndex) const {
  no_events(*this);
}
void DeviceGuardImplInterface::destroyEvent(void*, DeviceIndex) const noexcept {}

constinit std::atomic<const DeviceGuardImplInterface*>
    device_guard_impl_registry[COMPILE_TIME_MAX_DEVICE_TYPES] = {};

void registerDeviceGuardImpl(DeviceType type, const DeviceGuardImplInterface* impl) {
  device_guard_impl_registry[static_cast<uint8_t>(type)].store(impl, std::memory_order_release);
}

const DeviceGuardImplInterface* getDeviceGuardImpl(DeviceType type) {
  const auto i = static_cast<uint8_t>(type);
  TORCH_CHECK(i < COMPILE_TIME_MAX_DEVICE_TYPES, "Unknown device: ", static_cast<int>(type));
  const DeviceGuardImplInterface* impl =
      device_guard_impl_registry[i].load(std::memory_order_acquire);
  TORCH_CHECK(
      impl, "PyTorch is not linked with support for ", DeviceTypeName(type, true), " devices");
  return impl;
}

namespace {
C10_REGISTER_GUARD_IMPL(CPU, NoOpDeviceGuardImpl<DeviceType::CPU>)
C10_REGISTER_GUARD_IMPL(Meta, NoOpDeviceGuardImpl<DeviceType::Meta>)
} // namespace

} // namespace impl
} // namespace c10
