#include <c10/core/impl/BlockCache.h>

#include <cstdlib>
#include <new>

namespace c10::impl {

constinit thread_local BlockCache block_cache C10_FAST_TLS{};

namespace {

constexpr size_t kKinds = static_cast<size_t>(BlockKind::NumKinds);

// Sets up this thread's cache on first use and empties it when the thread ends.
struct Owner {
  Owner() {
    for (uint32_t& room : block_cache.room) {
      room = C10_SANITIZER_ENABLED ? 0 : kBlocksPerThread;
    }
  }
  ~Owner() {
    for (size_t i = 0; i < kKinds; ++i) {
      block_cache.room[i] = 0;
      while (BlockCache::Node* node = block_cache.head[i]) {
        block_cache.head[i] = node->next;
        std::free(node);
      }
    }
    ended = true;
  }
  static thread_local bool ended;
};
thread_local bool Owner::ended = false;

void open_cache() {
  if (!Owner::ended) {
    static thread_local Owner owner;
    (void)owner;
  }
}

} // namespace

void* allocate_block_slow(BlockKind kind) {
  open_cache();
  void* block = is_cache_aligned(kind)
      ? std::aligned_alloc(kAlignedBlockAlignment, block_bytes(kind))
      : std::malloc(block_bytes(kind));
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  return block;
}

void free_block_slow(BlockKind, void* block) noexcept {
  std::free(block);
}

void* allocate_large(size_t size) {
  return ::operator new(size);
}
void free_large(void* block) noexcept {
  ::operator delete(block);
}

} // namespace c10::impl
