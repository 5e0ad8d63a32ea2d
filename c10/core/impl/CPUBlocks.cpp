#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/CPUBlocks.h>
#include <c10/core/impl/MemoryPressure.h>
#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace c10::impl {

namespace {

constexpr size_t kSmallestClass = 512;
constexpr uint32_t kClasses = 4 * 40;
// Blocks up to this size stay in the cache of the thread that frees them, while it has room; others
// go to the shared cache.
constexpr size_t kThreadBlockLimit = size_t{256} << 10;
constexpr uint32_t kThreadClasses = 4 * 9 + 1;
constexpr size_t kThreadCacheLimit = size_t{8} << 20;
// Blocks of at least this size are mapped, so each can be returned to the system on its own.
constexpr size_t kMapThreshold = size_t{1} << 20;
constexpr size_t kHugePage = size_t{2} << 20;
// The class of blocks allocated while the cache was off; they have exactly the requested size.
constexpr uint32_t kNoClass = ~uint32_t{0};

// Class 4k+j holds up to 512 * 2^k * (1 + j/4) bytes.
uint32_t class_of(size_t bytes) {
  if (bytes <= kSmallestClass) {
    return 0;
  }
  const unsigned power = static_cast<unsigned>(std::bit_width((bytes - 1) / kSmallestClass)) - 1;
  const size_t base = kSmallestClass << power;
  const size_t quarter = base / 4;
  return 4 * power + static_cast<uint32_t>((bytes - base + quarter - 1) / quarter);
}

size_t class_bytes(uint32_t size_class) {
  const size_t base = kSmallestClass << (size_class / 4);
  return base + base / 4 * (size_class % 4);
}

size_t default_limit() {
  if (C10_SANITIZER_ENABLED) {
    return 0;
  }
  if (const char* setting = std::getenv("TORCH_CPU_CACHE_MB")) {
    return std::strtoull(setting, nullptr, 10) << 20;
  }
  const auto memory =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return memory / 8 < (size_t{1} << 30) ? memory / 8 : size_t{1} << 30;
}

std::atomic<size_t>& cache_limit() {
  static std::atomic<size_t> limit{default_limit()};
  return limit;
}

void release_to_system(CPUBlock* block) noexcept {
  if (block->mapped != 0) {
    munmap(block, block->mapped);
  } else {
    std::free(block);
  }
}

// ---- blocks shared by all threads

struct SharedCache {
  std::mutex mutex;
  CPUBlock* head[kClasses] = {};
  CPUBlock *newest = nullptr, *oldest = nullptr;
  std::atomic<size_t> bytes{0};

  CPUBlock* take(uint32_t size_class) {
    const std::lock_guard<std::mutex> lock(mutex);
    CPUBlock* block = head[size_class];
    if (block) {
      remove(block);
    }
    return block;
  }
  // Makes room by freeing the blocks that nobody took for the longest time. Returns false for a
  // block that does not fit into an empty cache either; the caller then frees it.
  bool give(CPUBlock* block) {
    const std::lock_guard<std::mutex> lock(mutex);
    const size_t limit = cache_limit().load(std::memory_order_relaxed);
    if (block->capacity > limit) {
      return false;
    }
    shrink(limit - block->capacity);
    add(block);
    return true;
  }
  void empty() {
    const std::lock_guard<std::mutex> lock(mutex);
    shrink(0);
  }

 private:
  void shrink(size_t most) {
    while (bytes > most) {
      CPUBlock* block = oldest;
      remove(block);
      release_to_system(block);
    }
  }
  void add(CPUBlock* block) {
    CPUBlock*& first = head[block->size_class];
    block->next = first;
    block->previous = nullptr;
    block->newer = nullptr;
    block->older = newest;
    if (first) {
      first->previous = block;
    }
    (newest ? newest->newer : oldest) = block;
    first = newest = block;
    bytes += block->capacity;
  }
  void remove(CPUBlock* block) {
    (block->previous ? block->previous->next : head[block->size_class]) = block->next;
    if (block->next) {
      block->next->previous = block->previous;
    }
    (block->newer ? block->newer->older : newest) = block->older;
    (block->older ? block->older->newer : oldest) = block->newer;
    bytes -= block->capacity;
  }
};

// Never destroyed, because tensors in other static objects may outlive it.
SharedCache& shared_cache() {
  static SharedCache* cache = [] {
    auto* made = new SharedCache;
    // A forked child must not inherit a lock that another thread held.
    pthread_atfork(
        [] { shared_cache().mutex.lock(); }, [] { shared_cache().mutex.unlock(); },
        [] { shared_cache().mutex.unlock(); });
    return made;
  }();
  return *cache;
}

// ---- blocks of this thread

struct ThreadCache {
  CPUBlock* head[kThreadClasses] = {};
  size_t bytes = 0;

  ~ThreadCache();
  void empty() {
    for (CPUBlock*& list : head) {
      while (CPUBlock* block = list) {
        list = block->next;
        release_to_system(block);
      }
    }
    bytes = 0;
  }
};

// A single pointer, because space for fast thread-local data is scarce. `closed` marks an ended
// thread.
constinit thread_local ThreadCache* thread_cache C10_FAST_TLS = nullptr;
constinit thread_local bool thread_cache_closed C10_FAST_TLS = false;

ThreadCache::~ThreadCache() {
  thread_cache = nullptr;
  thread_cache_closed = true;
  empty();
}

C10_NOINLINE ThreadCache* open_thread_cache() {
  if (thread_cache_closed || cache_limit().load(std::memory_order_relaxed) == 0) {
    return nullptr;
  }
  // On the heap, because the thread-local space that dlopen provides is small.
  static thread_local std::unique_ptr<ThreadCache> owner;
  owner = std::make_unique<ThreadCache>();
  thread_cache = owner.get();
  return thread_cache;
}

inline ThreadCache* this_thread_cache() {
  return C10_LIKELY(thread_cache != nullptr) ? thread_cache : open_thread_cache();
}

// ---- blocks from the system

CPUBlock* map_block(size_t total) {
  const size_t page = kHugePage;
  const bool huge = total >= 2 * kHugePage;
  const size_t granule = huge ? page : size_t{4096};
  const size_t length = (total + granule - 1) / granule * granule;
  // Reserves extra space to align to a huge page, then unmaps the excess.
  const size_t reserve = huge ? length + page : length;
  void* raw = mmap(nullptr, reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) {
    return nullptr;
  }
  char* start = static_cast<char*>(raw);
  if (huge) {
    const size_t lead = (page - reinterpret_cast<uintptr_t>(start) % page) % page;
    if (lead != 0) {
      munmap(start, lead);
    }
    start += lead;
    if (reserve - lead > length) {
      munmap(start + length, reserve - lead - length);
    }
    madvise(start, length, MADV_HUGEPAGE);
  }
  auto* block = reinterpret_cast<CPUBlock*>(start);
  block->mapped = length;
  return block;
}

CPUBlock* from_system(size_t capacity) {
  const size_t total = capacity + sizeof(CPUBlock);
  if (total >= kMapThreshold && !C10_SANITIZER_ENABLED) {
    return map_block(total);
  }
  void* start = nullptr;
  // Accepts any length; aligned_alloc requires multiples of the alignment.
  if (posix_memalign(&start, alignof(CPUBlock), total) != 0) {
    return nullptr;
  }
  auto* block = static_cast<CPUBlock*>(start);
  block->mapped = 0;
  return block;
}

[[noreturn]] C10_COLD void throw_out_of_memory(size_t bytes) {
  TORCH_CHECK(
      false,
      "[enforce fail at alloc_cpu.cpp] err == 0. DefaultCPUAllocator: can't allocate memory: "
      "you tried to allocate ",
      bytes, " bytes. Error code ", ENOMEM, " (", std::strerror(ENOMEM), ")");
}

C10_NOINLINE CPUBlock* take_from_system(size_t bytes, uint32_t size_class) {
  if (bytes > (size_t{1} << 47)) {
    throw_out_of_memory(bytes);
  }
  // Without a cache, a block has exactly the requested size, so sanitizers detect overruns.
  const bool cached = cache_limit().load(std::memory_order_relaxed) != 0;
  const size_t capacity = cached ? class_bytes(size_class) : bytes;
  CPUBlock* block = from_system(capacity);
  if (block == nullptr) {
    CPUCachingAllocator::emptyCache();
    block = from_system(capacity);
    if (block == nullptr) {
      throw_out_of_memory(bytes);
    }
  }
  block->capacity = capacity;
  block->size_class = cached ? size_class : kNoClass;
  return block;
}

} // namespace

CPUBlock* take_cpu_block(size_t bytes) {
  if (C10_UNLIKELY(bytes > (size_t{1} << 47))) {
    throw_out_of_memory(bytes);
  }
  const uint32_t size_class = class_of(bytes);
  if (size_class < kThreadClasses) {
    if (ThreadCache* cache = this_thread_cache()) {
      if (CPUBlock* block = cache->head[size_class]) {
        cache->head[size_class] = block->next;
        cache->bytes -= block->capacity;
        return block;
      }
    }
  }
  if (shared_cache().bytes.load(std::memory_order_relaxed) != 0) {
    if (CPUBlock* block = shared_cache().take(size_class)) {
      return block;
    }
  }
  return take_from_system(bytes, size_class);
}

void give_cpu_block(CPUBlock* block) noexcept {
  if (block->size_class == kNoClass) {
    release_to_system(block);
    return;
  }
  if (block->size_class < kThreadClasses) {
    ThreadCache* cache = this_thread_cache();
    if (cache && cache->bytes + block->capacity <= kThreadCacheLimit) {
      block->next = cache->head[block->size_class];
      cache->head[block->size_class] = block;
      cache->bytes += block->capacity;
      return;
    }
  }
  if (C10_UNLIKELY(memory_is_short())) {
    // Under memory pressure, free memory for other processes instead of caching it.
    shared_cache().empty();
  } else if (shared_cache().give(block)) {
    return;
  }
  release_to_system(block);
}

} // namespace c10::impl

namespace c10::CPUCachingAllocator {

void emptyCache() {
  impl::shared_cache().empty();
  if (impl::thread_cache) {
    impl::thread_cache->empty();
  }
}
size_t cachedBytes() {
  return impl::shared_cache().bytes.load() + (impl::thread_cache ? impl::thread_cache->bytes : 0);
}
size_t cacheLimit() {
  return impl::cache_limit().load();
}
void setCacheLimit(size_t bytes) {
  impl::cache_limit().store(bytes);
  if (impl::shared_cache().bytes.load() > bytes) {
    emptyCache();
  }
}

} // namespace c10::CPUCachingAllocator
