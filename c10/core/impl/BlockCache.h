#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace c10::impl {

// Per-thread free lists for the objects that every operator allocates. Taking or returning a block
// costs a few instructions; only a thread's first use and overflow leave the inline path.
enum class BlockKind : uint8_t { Tensor, Storage, Bytes64, Bytes128, Bytes256, Bytes512, NumKinds };

constexpr size_t kBlockAlignment = 64;
constexpr size_t kTensorBlockBytes = 192;
constexpr size_t kStorageBlockBytes = 128 + 256;
constexpr size_t kLargestBlockBytes = 512;
constexpr uint32_t kBlocksPerThread = 512;

struct BlockCache {
  struct Node {
    Node* next;
  };
  Node* head[static_cast<size_t>(BlockKind::NumKinds)];
  // How many more blocks may be kept. Zero before first use and after the thread ends, so both
  // cases take the slow path.
  uint32_t room[static_cast<size_t>(BlockKind::NumKinds)];
};

extern C10_API constinit thread_local BlockCache block_cache C10_FAST_TLS;

constexpr size_t block_bytes(BlockKind kind) {
  switch (kind) {
    case BlockKind::Tensor:
      return kTensorBlockBytes;
    case BlockKind::Storage:
      return kStorageBlockBytes;
    case BlockKind::Bytes64:
      return 64;
    case BlockKind::Bytes128:
      return 128;
    case BlockKind::Bytes256:
      return 256;
    default:
      return kLargestBlockBytes;
  }
}

C10_API void* allocate_block_slow(BlockKind kind);
C10_API void free_block_slow(BlockKind kind, void* block) noexcept;
// For objects too large for any kind of block.
C10_API void* allocate_large(size_t size);
C10_API void free_large(void* block) noexcept;

template <BlockKind kind>
inline void* allocate_block() {
  constexpr size_t i = static_cast<size_t>(kind);
  BlockCache& cache = block_cache;
  BlockCache::Node* node = cache.head[i];
  if (C10_UNLIKELY(node == nullptr)) {
    return allocate_block_slow(kind);
  }
  cache.head[i] = node->next;
  ++cache.room[i];
  return node;
}

template <BlockKind kind>
inline void free_block(void* block) noexcept {
  constexpr size_t i = static_cast<size_t>(kind);
  BlockCache& cache = block_cache;
  if (C10_UNLIKELY(cache.room[i] == 0)) {
    free_block_slow(kind, block);
    return;
  }
  --cache.room[i];
  BlockCache::Node* node = static_cast<BlockCache::Node*>(block);
  node->next = cache.head[i];
  cache.head[i] = node;
}

// Allocates a block of the smallest kind that holds `size` bytes. The compiler picks the kind when
// the size is a constant.
template <typename Use>
C10_ALWAYS_INLINE decltype(auto) with_block_kind(size_t size, Use&& use) {
  return size <= 64                ? use.template operator()<BlockKind::Bytes64>()
      : size <= 128                ? use.template operator()<BlockKind::Bytes128>()
      : size <= kTensorBlockBytes  ? use.template operator()<BlockKind::Tensor>()
      : size <= 256                ? use.template operator()<BlockKind::Bytes256>()
      : size <= kStorageBlockBytes ? use.template operator()<BlockKind::Storage>()
                                   : use.template operator()<BlockKind::Bytes512>();
}

// A base for classes whose objects live in these blocks. Polymorphic classes need a virtual
// destructor, so that the compiler passes the actual size.
struct PooledObject {
  static void* operator new(size_t size) {
    if (C10_UNLIKELY(size > kLargestBlockBytes)) {
      return allocate_large(size);
    }
    return with_block_kind(size, []<BlockKind kind>() { return allocate_block<kind>(); });
  }
  static void operator delete(void* block, size_t size) noexcept {
    if (C10_UNLIKELY(size > kLargestBlockBytes)) {
      free_large(block);
    } else {
      with_block_kind(size, [block]<BlockKind kind>() { free_block<kind>(block); });
    }
  }
  static void* operator new(size_t, void* place) noexcept { return place; }
};

} // namespace c10::impl
