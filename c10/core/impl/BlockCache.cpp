#include <c10/core/impl/BlockCache.h>

#include <cstdlib>
#include <new>

namespace c10::impl {

constinit thread_local BlockCache block_cache C10_FAST_TLS{};

namespace {

// Sets up this thread's cache on first use and empties it when the thread ends.
struct Owner {
  Owner() {
    for (uint16_t& room : block_cache.room) {
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
  void* block = std::malloc(block_bytes(kind));
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  return block;
}

void free_block_slow(void* block) noexcept {
  std::free(block);
}

void* allocate_large(size_t size) {
  return ::operator new(size);
}
void free_large(void* block) noexcept {
  ::operator delete(block);
}

} // namespace c10::impl
