#pragma once

// The current device of a thread, and how many there are. The names follow the runtime's where one
// exists; these check errors and take c10's device indices.

#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

#include <cuda_runtime_api.h>

namespace c10::cuda {

// Asked once. Zero without a driver or a device; a warning says why if that is not all.
C10_CUDA_API DeviceIndex device_count() noexcept;
// Throws if there is none.
C10_CUDA_API DeviceIndex device_count_ensure_non_zero();
C10_CUDA_API DeviceIndex current_device();
C10_CUDA_API void set_device(DeviceIndex device);
C10_CUDA_API DeviceIndex exchange_device(DeviceIndex device);
C10_CUDA_API void device_synchronize();
// Asked once per device. Index -1 is the current one.
C10_CUDA_API const cudaDeviceProp& device_properties(DeviceIndex device = -1);
// Whether kernels of the device `from` can use memory of `to`; enables it at the first call.
C10_CUDA_API bool get_p2p_access(DeviceIndex from, DeviceIndex to);

} // namespace c10::cuda
