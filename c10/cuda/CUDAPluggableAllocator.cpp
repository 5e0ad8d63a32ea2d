#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAPluggableAllocator.h>

#include <utility>

namespace c10::cuda {

DataPtr CUDAPluggableAllocator::allocate(size_t bytes) {
  const Device device(DeviceType::CUDA, current_device());
  void* data = allocate_on(device.index(), bytes, getCurrentCUDAStream(device.index()).stream());
  if (data == nullptr && bytes != 0) {
    C10_THROW_ERROR(
        OutOfMemoryError,
        "the pluggable allocator has no memory for " + std::to_string(bytes) + " bytes");
  }
  return {data, data, raw_deleter(), device};
}

// Only the allocator that is current gives memory to tensors.
DeleterFnPtr CUDAPluggableAllocator::raw_deleter() const {
  return &CUDACachingAllocator::raw_delete;
}

void CUDAPluggableAllocator::copy_data(void* destination, const void* source, size_t bytes) const {
  C10_CUDA_CHECK(cudaMemcpyAsync(
      destination, source, bytes, cudaMemcpyDeviceToDevice, getCurrentCUDAStream().stream()));
}

void* CUDAPluggableAllocator::allocate_on(DeviceIndex device, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return nullptr;
  void* data = allocate_(bytes, device, stream);
  if (data == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  allocations_[data] = {bytes, device, stream, {}};
  return data;
}

void CUDAPluggableAllocator::release(void* data) {
  if (data == nullptr) return;
  Allocation allocation;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = allocations_.find(data);
    TORCH_CHECK(found != allocations_.end(), "not a pointer of this pluggable allocator");
    allocation = std::move(found->second);
    allocations_.erase(found);
  }
  for (const CUDAStream& stream : allocation.uses) {
    stream.synchronize();
  }
  release_(data, allocation.bytes, allocation.device, allocation.stream);
}

void CUDAPluggableAllocator::record_stream(void* data, CUDAStream stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = allocations_.find(data);
  if (found == allocations_.end() || stream.stream() == found->second.stream) return;
  found->second.uses.push_back(stream);
}

} // namespace c10::cuda
