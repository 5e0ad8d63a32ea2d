#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/impl/DeviceCachingAllocator.h>

#include <mutex>
#include <unordered_map>

namespace c10::cuda::CUDACachingAllocator {

namespace {

// One cache per device, and the blocks that clients hold by their addresses.
class Front final : public Allocator {
 public:
  DataPtr allocate(size_t bytes) override {
    const Device device(DeviceType::CUDA, current_device());
    void* data = allocate_on(device.index(), bytes, getCurrentCUDAStream(device.index()).stream());
    return {data, data, &raw_delete, device};
  }
  DeleterFnPtr raw_deleter() const override { return &raw_delete; }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    C10_CUDA_CHECK(cudaMemcpyAsync(
        destination, source, bytes, cudaMemcpyDeviceToDevice, getCurrentCUDAStream().stream()));
  }

  void* allocate_on(DeviceIndex device, size_t bytes, cudaStream_t stream) {
    if (bytes == 0) return nullptr;
    Block* block = cache(device).allocate(bytes, stream);
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_[block->data] = block;
    return block->data;
  }
  void release(void* data) {
    if (data == nullptr) return;
    Block* block = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = blocks_.find(data);
      TORCH_CHECK(found != blocks_.end(), "not a pointer of the CUDA caching allocator");
      block = found->second;
      blocks_.erase(found);
    }
    cache(block->device).free(block);
  }
  Block* find(void* data) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(data);
    return found == blocks_.end() ? nullptr : found->second;
  }

  DeviceCachingAllocator& cache(DeviceIndex device) {
    std::call_once(made_, [&] {
      for (DeviceIndex index = 0; index < device_count_ensure_non_zero(); ++index) {
        caches_.push_back(std::make_unique<DeviceCachingAllocator>(index));
      }
    });
    TORCH_CHECK(
        device >= 0 && static_cast<size_t>(device) < caches_.size(), "CUDA device ",
        static_cast<int>(device), " does not exist");
    return *caches_[static_cast<size_t>(device)];
  }

 private:
  std::once_flag made_;
  std::vector<std::unique_ptr<DeviceCachingAllocator>> caches_;
  std::mutex mutex_;
  std::unordered_map<void*, Block*> blocks_;
};

// Never destroyed: tensors may outlive the library's statics.
Front& front() {
  static auto* instance = new Front;
  return *instance;
}

const AllocatorRegisterer<DeviceType::CUDA> registered(&front());

} // namespace

Allocator* get() {
  return &front();
}
void* raw_alloc(size_t bytes) {
  return raw_alloc_with_stream(bytes, getCurrentCUDAStream().stream());
}
void* raw_alloc_with_stream(size_t bytes, cudaStream_t stream) {
  return front().allocate_on(current_device(), bytes, stream);
}
void raw_delete(void* pointer) {
  front().release(pointer);
}
void recordStream(const DataPtr& data, CUDAStream stream) {
  if (data.get() == nullptr || data.get_deleter() != &raw_delete) return;
  if (Block* block = front().find(data.get()))
    front().cache(block->device).record_stream(block, stream);
}
void emptyCache() {
  for (DeviceIndex device = 0; device < device_count(); ++device) {
    const CUDAGuard guard(device);
    front().cache(device).empty_cache();
  }
}
void setMemoryFraction(double fraction, DeviceIndex device) {
  front().cache(device).set_memory_fraction(fraction);
}
DeviceStats getDeviceStats(DeviceIndex device) {
  return front().cache(device).stats();
}
void resetPeakStats(DeviceIndex device) {
  front().cache(device).reset_peak_stats();
}
void resetAccumulatedStats(DeviceIndex device) {
  front().cache(device).reset_accumulated_stats();
}
std::vector<SegmentInfo> snapshot() {
  std::vector<SegmentInfo> segments;
  for (DeviceIndex device = 0; device < device_count(); ++device) {
    front().cache(device).append_snapshot(segments);
  }
  return segments;
}
void beginAllocateToPool(
    DeviceIndex device, MempoolId_t pool, std::function<bool(cudaStream_t)> filter) {
  front().cache(device).begin_pool(pool, std::move(filter));
}
void endAllocateToPool(DeviceIndex device, MempoolId_t pool) {
  front().cache(device).end_pool(pool);
}
void releasePool(DeviceIndex device, MempoolId_t pool) {
  front().cache(device).release_pool(pool);
}

} // namespace c10::cuda::CUDACachingAllocator
