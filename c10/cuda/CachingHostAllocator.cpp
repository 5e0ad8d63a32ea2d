#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CachingHostAllocator.h>
#include <c10/cuda/impl/RelaxedCapture.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace c10::cuda::CachingHostAllocator {

namespace {

constexpr size_t kMinBlock = 512;

struct Block {
  std::byte* data;
  size_t size;             // a power of two
  bool registered = false; // ordinary memory that was pinned
  bool allocated = true;
  std::vector<CUDAStream> uses{};
  int events = 0;
};

size_t size_class(size_t size) {
  return static_cast<size_t>(std::countr_zero(size));
}

// Adds how long it lives.
class Timer {
 public:
  explicit Timer(Durations& durations) : durations_(durations) {}
  ~Timer() {
    using std::chrono::duration_cast, std::chrono::microseconds;
    durations_.add(duration_cast<microseconds>(Clock::now() - start_).count());
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  Durations& durations_;
  const Clock::time_point start_ = Clock::now();
};

constexpr size_t kPage = 4096;

// The kernel gives pages at their first use, and one thread would ask for all of them.
void touch(std::byte* data, size_t size, size_t threads) {
  const size_t pages = (size + kPage - 1) / kPage;
  const size_t each = (pages + threads - 1) / threads;
  std::vector<std::thread> workers;
  for (size_t first = 0; first < pages; first += each) {
    workers.emplace_back([=] {
      for (size_t page = first; page < std::min(first + each, pages); ++page) {
        *static_cast<volatile std::byte*>(data + page * kPage) = std::byte{0};
      }
    });
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
}

// Null with an error of the driver in `error` if there is no memory.
std::byte* register_memory(size_t size, cudaError_t& error) {
  auto* data = static_cast<std::byte*>(std::aligned_alloc(kPage, std::max(size, kPage)));
  error = cudaErrorMemoryAllocation;
  if (data == nullptr) return nullptr;
  if (const size_t threads = CUDACachingAllocator::config().pinned_register_threads; threads > 1) {
    touch(data, size, threads);
  }
  error = cudaHostRegister(data, size, cudaHostRegisterPortable);
  if (error == cudaSuccess) return data;
  std::free(data);
  return nullptr;
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
    for (const CUDAStream& stream : std::exchange(block->uses, {})) {
      const impl::RelaxedCapture relaxed;
      CUDAEvent event;
      event.record(stream);
      ++block->events;
      events_.emplace_back(std::move(event), block);
    }
    if (block->events == 0) make_free(block);
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
        {
          const Timer timer(stats_.host_free_time);
          if (block->registered) {
            C10_CUDA_CHECK(cudaHostUnregister(block->data));
            std::free(block->data);
          } else {
            C10_CUDA_CHECK(cudaFreeHost(block->data));
          }
        }
        ++stats_.num_host_free;
        stats_.allocations.decrease(1);
        stats_.allocated_bytes.decrease(block->size);
        blocks_.erase(block->data);
      }
      blocks.clear();
    }
  }

  HostStats stats() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stats_;
  }
  void reset_peak_stats() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (HostStats::Stat* stat : stats_of_blocks()) {
      stat->reset_peak();
    }
  }
  void reset_accumulated_stats() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (HostStats::Stat* stat : stats_of_blocks()) {
      stat->reset_accumulated();
    }
    stats_.num_host_alloc = stats_.num_host_free = 0;
    stats_.host_alloc_time = stats_.host_free_time = {};
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
    stats_.active_requests.increase(1);
    stats_.active_bytes.increase(size);
    return block->data;
  }

  Block* new_block(size_t size) {
    void* data = nullptr;
    const impl::RelaxedCapture relaxed;
    const bool registers = CUDACachingAllocator::config().registers_pinned_memory;
    {
      const Timer timer(stats_.host_alloc_time);
      cudaError_t error = cudaSuccess;
      if (registers) {
        data = register_memory(size, error);
      } else {
        error = cudaHostAlloc(&data, size, cudaHostAllocPortable);
      }
      C10_CUDA_CHECK(error);
    }
    ++stats_.num_host_alloc;
    stats_.allocations.increase(1);
    stats_.allocated_bytes.increase(size);
    auto block = std::make_unique<Block>(Block{static_cast<std::byte*>(data), size, registers});
    return blocks_.emplace(block->data, std::move(block)).first->second.get();
  }

  // Events of one stream pass in the order of their records, but those of two streams need not, so
  // each is asked. A caller finds few: those of the copies that are still queued.
  void process_events() {
    const impl::RelaxedCapture relaxed;
    std::erase_if(events_, [&](const auto& entry) {
      const auto& [event, block] = entry;
      if (!event.query()) return false;
      if (--block->events == 0) make_free(block);
      return true;
    });
  }

  void make_free(Block* block) {
    stats_.active_requests.decrease(1);
    stats_.active_bytes.decrease(block->size);
    free_[size_class(block->size)].push_back(block);
  }

  std::array<HostStats::Stat*, 4> stats_of_blocks() {
    return {
        &stats_.allocations, &stats_.allocated_bytes, &stats_.active_requests,
        &stats_.active_bytes};
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
void resetPeakStats() {
  HostAllocator::instance().reset_peak_stats();
}
void resetAccumulatedStats() {
  HostAllocator::instance().reset_accumulated_stats();
}

void Durations::add(int64_t duration) {
  total += duration;
  max = std::max(max, duration);
  min = count == 0 ? duration : std::min(min, duration);
  ++count;
}

} // namespace c10::cuda::CachingHostAllocator
