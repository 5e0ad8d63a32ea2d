#include <c10/core/CopyBytes.h>

#include <c10/util/Exception.h>

#include <atomic>
#include <cstring>

namespace c10 {

namespace {

struct Pair {
  std::atomic<CopyBytesFunction> synchronous{nullptr};
  std::atomic<CopyBytesFunction> asynchronous{nullptr};
};

constinit Pair functions[COMPILE_TIME_MAX_DEVICE_TYPES][COMPILE_TIME_MAX_DEVICE_TYPES] = {};

Pair& pair_of(DeviceType from, DeviceType to) {
  return functions[static_cast<uint8_t>(from)][static_cast<uint8_t>(to)];
}

} // namespace

_CopyBytesFunctionRegisterer::_CopyBytesFunctionRegisterer(
    DeviceType from, DeviceType to, CopyBytesFunction synchronous, CopyBytesFunction asynchronous) {
  Pair& pair = pair_of(from, to);
  pair.synchronous.store(synchronous, std::memory_order_release);
  pair.asynchronous.store(asynchronous ? asynchronous : synchronous, std::memory_order_release);
}

bool hasCopyBytesFunction(DeviceType from, DeviceType to) {
  return pair_of(from, to).synchronous.load(std::memory_order_acquire) != nullptr;
}

void CopyBytes(
    size_t bytes, const void* source, Device source_device, void* destination,
    Device destination_device, bool async) {
  if (destination_device.is_meta()) return;
  TORCH_CHECK_NOT_IMPLEMENTED(!source_device.is_meta(), "Cannot copy out of meta tensor; no data!");
  const Pair& pair = pair_of(source_device.type(), destination_device.type());
  const CopyBytesFunction function =
      (async ? pair.asynchronous : pair.synchronous).load(std::memory_order_acquire);
  TORCH_CHECK_NOT_IMPLEMENTED(
      function, "No function is registered that copies bytes from ", source_device, " to ",
      destination_device, ". A back end registers it with REGISTER_COPY_BYTES_FUNCTION.");
  if (bytes != 0) {
    function(bytes, source, source_device, destination, destination_device);
  }
}

namespace {
REGISTER_COPY_BYTES_FUNCTION(
    kCPU, kCPU, [](size_t bytes, const void* source, Device, void* destination, Device) {
      std::memcpy(destination, source, bytes);
    })
} // namespace

} // namespace c10
