#include <ATen/native/cuda/DeviceTables.h>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CachingHostAllocator.h>

namespace at::native {

c10::DataPtr DeviceTables::upload() const {
  namespace host = c10::cuda::CachingHostAllocator;
  const size_t bytes = words_.size() * sizeof(uint64_t);
  c10::DataPtr memory = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
  if (bytes == 0) {
    return memory;
  }
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const c10::DataPtr pinned = host::get()->allocate(bytes);
  std::memcpy(pinned.get(), words_.data(), bytes);
  C10_CUDA_CHECK(
      cudaMemcpyAsync(memory.get(), pinned.get(), bytes, cudaMemcpyHostToDevice, stream.stream()));
  host::recordStream(pinned.get(), stream);
  return memory;
}

} // namespace at::native
