#include <ATen/cuda/CUDAContext.h>

namespace at::cuda {

const cudaDeviceProp* getCurrentDeviceProperties() {
  return &c10::cuda::device_properties();
}

const cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
  return &c10::cuda::device_properties(device);
}

int warp_size() {
  return getCurrentDeviceProperties()->warpSize;
}

bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer) {
  int can = 0;
  C10_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, peer));
  return can != 0;
}

c10::Allocator* getCUDADeviceAllocator() {
  return c10::cuda::CUDACachingAllocator::get();
}

} // namespace at::cuda
