#pragma once

// The devices that CUDA code of ATen runs on. Streams, events and guards are c10's, with names in
// at::cuda as well.

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/macros/Macros.h>

#include <cstdint>

namespace at::cuda {

using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromExternal;
using c10::cuda::getStreamFromPool;
using c10::cuda::setCurrentCUDAStream;

inline int64_t getNumGPUs() {
  return c10::cuda::device_count();
}
// Whether there is a device. Asking does not initialise it.
inline bool is_available() {
  return c10::cuda::device_count() > 0;
}
// A function without an argument is about the current device.
TORCH_CUDA_CPP_API const cudaDeviceProp* getCurrentDeviceProperties();
TORCH_CUDA_CPP_API const cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device);
TORCH_CUDA_CPP_API int warp_size();
TORCH_CUDA_CPP_API bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer);
TORCH_CUDA_CPP_API c10::Allocator* getCUDADeviceAllocator();

} // namespace at::cuda
