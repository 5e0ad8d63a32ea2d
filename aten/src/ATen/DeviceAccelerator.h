#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/macros/Macros.h>

#include <optional>

// The one accelerator of this process: the device type, other than the host's, whose back end is
// loaded.
namespace at::accelerator {

// With `checked`, raises if there is no accelerator.
TORCH_API std::optional<c10::DeviceType> getAccelerator(bool checked = false);
TORCH_API bool isAccelerator(c10::DeviceType type);
TORCH_API c10::DeviceIndex deviceCount();
TORCH_API void setDeviceIndex(c10::DeviceIndex index);
TORCH_API c10::DeviceIndex getDeviceIndex();
TORCH_API void setCurrentStream(c10::Stream stream);
TORCH_API c10::Stream getCurrentStream(c10::DeviceIndex index);
TORCH_API void synchronizeDevice(c10::DeviceIndex index);

} // namespace at::accelerator

namespace at {
using accelerator::getAccelerator;
using accelerator::isAccelerator;
} // namespace at
