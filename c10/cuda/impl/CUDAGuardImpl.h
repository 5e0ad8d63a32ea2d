#pragma once

#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

namespace c10::cuda::impl {

// Makes a device current and returns the one that was; -1 changes nothing.
C10_CUDA_API DeviceIndex exchange_device(DeviceIndex index);
// For destructors: warns at most.
C10_CUDA_API void restore_device(DeviceIndex index) noexcept;
// The index of a CUDA device; any other type is an error.
C10_CUDA_API DeviceIndex checked_index(Device device);

} // namespace c10::cuda::impl
