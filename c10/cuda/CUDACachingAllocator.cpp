#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/impl/DeviceCachingAllocator.h>

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace c10::cuda::CUDACachingAllocator {

namespace {

// One cache per device, and the blocks that clients hold by their addresses.
class Front final : public CUDAAllocator {
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

  void* allocate_on(DeviceIndex device, size_t bytes, cudaStream_t stream) override {
    if (bytes == 0) return nullptr;
    Block* block = cache(device).allocate(bytes, stream);
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_[block->data] = block;
    return block->data;
  }
  void release(void* data) override {
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
  void record_stream(void* data, CUDAStream stream) override {
    if (Block* block = find(data)) cache(block->device).record_stream(block, stream);
  }
  const char* name() const override { return "native"; }
  bool has_started() const { return !caches_.empty(); }

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
  Block* find(void* data) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(data);
    return found == blocks_.end() ? nullptr : found->second;
  }

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

// Front, unless change_allocator() replaced it.
std::atomic<CUDAAllocator*>& current() {
  static std::atomic<CUDAAllocator*> allocator = &front();
  return allocator;
}

// The cache of a device, for functions that other allocators do not have.
DeviceCachingAllocator& cache_of(DeviceIndex device, const char* function) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      current() == &front(), function, " needs the native allocator, but `",
      current().load()->name(), "` is in its place");
  return front().cache(device);
}

} // namespace

CUDAAllocator* get() {
  return current();
}
void change_allocator(CUDAAllocator* allocator) {
  TORCH_CHECK(
      !front().has_started() && current() == &front(),
      "Can't swap an already initialized allocator");
  current() = allocator;
  SetAllocator(DeviceType::CUDA, allocator);
}
void* raw_alloc(size_t bytes) {
  return raw_alloc_with_stream(bytes, getCurrentCUDAStream().stream());
}
void* raw_alloc_with_stream(size_t bytes, cudaStream_t stream) {
  return get()->allocate_on(current_device(), bytes, stream);
}
void raw_delete(void* pointer) {
  get()->release(pointer);
}
void recordStream(const DataPtr& data, CUDAStream stream) {
  CUDAAllocator* const allocator = get();
  if (data.get() == nullptr || data.get_deleter() != allocator->raw_deleter()) return;
  allocator->record_stream(data.get(), stream);
}
void emptyCache() {
  if (current() != &front()) return; // the other allocator keeps nothing, as far as is known
  for (DeviceIndex device = 0; device < device_count(); ++device) {
    const CUDAGuard guard(device);
    front().cache(device).empty_cache();
  }
}
void setMemoryFraction(double fraction, DeviceIndex device) {
  cache_of(device, "setMemoryFraction").set_memory_fraction(fraction);
}
DeviceStats getDeviceStats(DeviceIndex device) {
  return cache_of(device, "getDeviceStats").stats();
}
void resetPeakStats(DeviceIndex device) {
  cache_of(device, "resetPeakStats").reset_peak_stats();
}
void resetAccumulatedStats(DeviceIndex device) {
  cache_of(device, "resetAccumulatedStats").reset_accumulated_stats();
}
std::vector<SegmentInfo> snapshot(MempoolId_t pool) {
  std::vector<SegmentInfo> segments;
  for (DeviceIndex device = 0; device < device_count(); ++device) {
    cache_of(device, "snapshot").append_snapshot(segments, pool);
  }
  return segments;
}
void recordHistory(std::unique_ptr<HistoryOptions> options, bool clear) {
  for (DeviceIndex device = 0; clear && device < device_count(); ++device) {
    cache_of(device, "recordHistory").clear_trace();
  }
  set_history_options(std::move(options));
}
std::vector<std::vector<TraceEntry>> traces() {
  std::vector<std::vector<TraceEntry>> found;
  for (DeviceIndex device = 0; device < device_count(); ++device) {
    found.push_back(cache_of(device, "traces").trace());
  }
  return found;
}
MempoolId_t new_pool_id() {
  static std::atomic<uint64_t> next{1};
  return {0, next++};
}
void createPool(DeviceIndex device, MempoolId_t pool, CUDAAllocator* source) {
  cache_of(device, "createPool").create_pool(pool, source);
}
void beginAllocateToPool(
    DeviceIndex device, MempoolId_t pool, std::function<bool(cudaStream_t)> filter, bool capture) {
  cache_of(device, "beginAllocateToPool").begin_pool(pool, std::move(filter), capture);
}
void endAllocateToPool(DeviceIndex device, MempoolId_t pool) {
  front().cache(device).end_pool(pool);
}
void releasePool(DeviceIndex device, MempoolId_t pool) {
  front().cache(device).release_pool(pool);
}
void emptyPool(DeviceIndex device, MempoolId_t pool) {
  const CUDAGuard guard(device);
  front().cache(device).empty_cache(pool);
}
int poolUses(DeviceIndex device, MempoolId_t pool) {
  return front().cache(device).pool_uses(pool);
}

} // namespace c10::cuda::CUDACachingAllocator
