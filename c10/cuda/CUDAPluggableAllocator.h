#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

#include <mutex>
#include <unordered_map>
#include <vector>

namespace c10::cuda {

// An allocator of two C functions, of a shared library for instance. `release` is called as soon as
// a tensor gives its memory back, after the work of the streams that were recorded for it; the
// streams' order covers the work of the stream that the memory was allocated for, so `release` must
// respect it.
class C10_CUDA_API CUDAPluggableAllocator final : public CUDACachingAllocator::CUDAAllocator {
 public:
  using Allocate = void* (*)(size_t bytes, int device, cudaStream_t stream);
  using Release = void (*)(void* data, size_t bytes, int device, cudaStream_t stream);
  CUDAPluggableAllocator(Allocate allocate, Release release)
      : allocate_(allocate), release_(release) {}

  DataPtr allocate(size_t bytes) override;
  DeleterFnPtr raw_deleter() const override;
  void copy_data(void* destination, const void* source, size_t bytes) const override;

  void* allocate_on(DeviceIndex device, size_t bytes, cudaStream_t stream) override;
  void release(void* data) override;
  void record_stream(void* data, CUDAStream stream) override;
  const char* name() const override { return "pluggable"; }

 private:
  struct Allocation {
    size_t bytes;
    DeviceIndex device;
    cudaStream_t stream;
    std::vector<CUDAStream> uses;
  };
  const Allocate allocate_;
  const Release release_;
  std::mutex mutex_;
  std::unordered_map<void*, Allocation> allocations_;
};

} // namespace c10::cuda
