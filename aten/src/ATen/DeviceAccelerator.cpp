#include <ATen/DeviceAccelerator.h>

#include <ATen/detail/AcceleratorHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

namespace at::accelerator {

namespace {

const c10::impl::DeviceGuardImplInterface& guard() {
  return *c10::impl::getDeviceGuardImpl(*getAccelerator(/*checked=*/true));
}

} // namespace

bool isAccelerator(c10::DeviceType type) {
  return type != c10::default_device_type && type != c10::DeviceType::Meta &&
      detail::getAcceleratorHooksOrNull(type) != nullptr;
}

// An extension's back end comes first, because a program that loads one means to use it.
std::optional<c10::DeviceType> getAccelerator(bool checked) {
  for (int i = c10::COMPILE_TIME_MAX_DEVICE_TYPES; i-- > 0;) {
    const auto type = static_cast<c10::DeviceType>(i);
    if (isAccelerator(type) && detail::getAcceleratorHooksOrNull(type)->isBuilt()) {
      return type;
    }
  }
  TORCH_CHECK(!checked, "Cannot access accelerator device when none is available.");
  return std::nullopt;
}

c10::DeviceIndex deviceCount() {
  const auto type = getAccelerator();
  return type ? c10::impl::getDeviceGuardImpl(*type)->deviceCount()
              : static_cast<c10::DeviceIndex>(0);
}
void setDeviceIndex(c10::DeviceIndex index) {
  guard().setDevice({guard().type(), index});
}
c10::DeviceIndex getDeviceIndex() {
  return guard().getDevice().index();
}
void setCurrentStream(c10::Stream stream) {
  guard().exchangeStream(stream);
}
c10::Stream getCurrentStream(c10::DeviceIndex index) {
  return guard().getStream({guard().type(), index});
}
void synchronizeDevice(c10::DeviceIndex index) {
  guard().synchronizeDevice(index);
}

} // namespace at::accelerator
