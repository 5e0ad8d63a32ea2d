#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CachingHostAllocator.h>
#include <c10/cuda/impl/RelaxedCapture.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace c10::cuda::CachingHostAllocator {

namespace {

constexpr size_t kMinBlock = 512;

struct Block {
  std::byte* data;
  size_t size; // a power of two
  bool allocated = true;
  std::vector<CUDAStream> uses{};
  int events = 0;
};

size_t size_class(size_t size) {
  return static_cast<size_t>(std::countr_zero(size));
}

class HostAllocator final : public Allocator {
 public:
  DataPtr allocate(size_t bytes) override {
    void* data = bytes == 0 ? nullptr : take(bytes);
    return {data, data, &release, Device(DeviceType::CPU)};
  }
  DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    default_copy_data(destination, source, bytes);
  }

  void give(void* data) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Block* block = holder(data);
    TORCH_CHECK(block != nullptr && block->data == data, "not a pointer of the pinned allocator");
    block->allocated = false;
    --stats_.allocations;
    stats_.allocated_bytes -= static_cast<int64_t>(block->size);
    for (const CUDAStream& stream : std::exchange(block->uses, {})) {
      const impl::RelaxedCapture relaxed;
      CUDAEvent event;
      event.record(stream);
      ++block->events;
      events_.emplace_back(std::move(event), block);
    }
    if (block->events == 0) free_[size_class(block->size)].push_back(block);
  }

  bool holds(const void* pointer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return holder(pointer) != nullptr;
  }

  void record(const void* pointer, const CUDAStream& stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Block* block = holder(pointer);
    if (block == nullptr) return;
    auto& uses = block->uses;
    if (std::find(uses.begin(), uses.end(), stream) == uses.end()) uses.push_back(stream);
  }

  void empty_cache() {
    const std::lock_guard<std::mutex> lock(mutex_);
    process_events();
    const impl::RelaxedCapture relaxed;
    for (auto& blocks : free_) {
      for (const Block* block : blocks) {
        C10_CUDA_CHECK(cudaFreeHost(block->data));
        ++stats_.num_host_free;
        stats_.reserved_bytes -= static_cast<int64_t>(block->size);
        blocks_.erase(block->data);
      }
      blocks.clear();
    }
  }

  HostStats stats() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stats_;
  }

  static HostAllocator& instance() {
    static auto* allocator = new HostAllocator; // tensors may outlive the library's statics
    return *allocator;
  }

 private:
  static void release(void* data) {
    if (data != nullptr) instance().give(data);
  }

  void* take(size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    process_events();
    const size_t size = std::bit_ceil(std::max(bytes, kMinBlock));
    auto& blocks = free_[size_class(size)];
    Block* block = nullptr;
    if (blocks.empty()) {
      block = new_block(size);
    } else {
      block = blocks.back();
      blocks.pop_back();
      block->allocated = true;
    }
    ++stats_.allocations;
    stats_.allocated_bytes += static_cast<int64_t>(size);
    return block->data;
  }

  Block* new_block(size_t size) {
    void* data = nullptr;
    const impl::RelaxedCapture relaxed;
    C10_CUDA_CHECK(cudaHostAlloc(&data, size, cudaHostAllocPortable));
    ++stats_.num_host_alloc;
    stats_.reserved_bytes += static_cast<int64_t>(size);
    auto block = std::make_unique<Block>(Block{static_cast<std::byte*>(data), size});
    return blocks_.emplace(block->data, std::move(block)).first->second.get();
  }

  // Events of one stream pass in the order of their records, but those of two streams need not, so
  // each is asked. A caller finds few: those of the copies that are still queued.
  void process_events() {
    const impl::RelaxedCapture relaxed;
    std::erase_if(events_, [&](const auto& entry) {
      const auto& [event, block] = entry;
      if (!event.query()) return false;
      if (--block->events == 0) free_[size_class(block->size)].push_back(block);
      return true;
    });
  }

  Block* holder(const void* pointer) {
    const auto* at = static_cast<const std::byte*>(pointer);
    auto after = blocks_.upper_bound(at);
    if (after == blocks_.begin()) return nullptr;
    Block* block = std::prev(after)->second.get();
    return block->allocated && at < block->data + block->size ? block : nullptr;
  }

  std::mutex mutex_;
  std::map<const std::byte*, std::unique_ptr<Block>> blocks_;
  std::array<std::vector<Block*>, 64> free_;
  std::deque<std::pair<CUDAEvent, Block*>> events_;
  HostStats stats_;
};

} // namespace

Allocator* get() {
  return &HostAllocator::instance();
}
bool isPinned(const void* pointer) {
  return HostAllocator::instance().holds(pointer);
}
void recordStream(const void* pointer, const CUDAStream& stream) {
  HostAllocator::instance().record(pointer, stream);
}
void emptyCache() {
  HostAllocator::instance().empty_cache();
}
HostStats getStats() {
  return HostAllocator::instance().stats();
}

} // namespace c10::cuda::CachingHostAllocator
