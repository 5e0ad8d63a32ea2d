#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <cstdint>

namespace c10::impl {

// Per-thread free lists for the objects that every operator allocates. Taking or returning a block
// costs a few instructions; only a thread's first use and overflow leave the inline path.
//
// Blocks are eight bytes short of a multiple of 16, because malloc adds eight bytes to each: these
// sizes waste nothing.
enum class BlockKind : uint8_t {
  Bytes56,
  Bytes120,
  Tensor,
  Bytes248,
  Bytes504,
  // Storages with inline data of up to 64 bytes, 96 and so on to 256; see StorageImpl.
  Storage64,
  Storage256 = Storage64 + 6,
  NumKinds
};

constexpr size_t kKinds = static_cast<size_t>(BlockKind::NumKinds);
constexpr size_t kBlockBytes[kKinds] = {56, 120, 168, 248, 504, 200, 232, 264, 296, 328, 360, 392};
constexpr size_t kLargestBlockBytes = 504;
constexpr uint16_t kBlocksPerThread = 512;

struct BlockCache {
  struct Node {
    Node* next;
  };
  Node* head[kKinds];
  // How many more blocks may be kept. Zero before first use and after the thread ends, so both
  // cases take the slow path.
  uint16_t room[kKinds];
};

extern C10_API constinit thread_local BlockCache block_cache C10_FAST_TLS;

constexpr size_t block_bytes(BlockKind kind) {
  return kBlockBytes[static_cast<size_t>(kind)];
}

C10_API void* allocate_block_slow(BlockKind kind);
C10_API void free_block_slow(void* block) noexcept;
// For objects too large for any kind of block.
C10_API void* allocate_large(size_t size);
C10_API void free_large(void* block) noexcept;

C10_ALWAYS_INLINE void* allocate_block(BlockKind kind) {
  const auto i = static_cast<size_t>(kind);
  BlockCache& cache = block_cache;
  BlockCache::Node* node = cache.head[i];
  if (C10_UNLIKELY(node == nullptr)) {
    return allocate_block_slow(kind);
  }
  cache.head[i] = node->next;
  ++cache.room[i];
  return node;
}

C10_ALWAYS_INLINE void free_block(BlockKind kind, void* block) noexcept {
  const auto i = static_cast<size_t>(kind);
  BlockCache& cache = block_cache;
  if (C10_UNLIKELY(cache.room[i] == 0)) {
    free_block_slow(block);
    return;
  }
  --cache.room[i];
  BlockCache::Node* node = static_cast<BlockCache::Node*>(block);
  node->next = cache.head[i];
  cache.head[i] = node;
}

// The smallest kind of block for objects of `size` bytes, at most kLargestBlockBytes. The compiler
// picks it when the size is a constant.
constexpr BlockKind block_kind_for(size_t size) {
  return size <= block_bytes(BlockKind::Bytes56) ? BlockKind::Bytes56
      : size <= block_bytes(BlockKind::Bytes120) ? BlockKind::Bytes120
      : size <= block_bytes(BlockKind::Tensor)   ? BlockKind::Tensor
      : size <= block_bytes(BlockKind::Bytes248) ? BlockKind::Bytes248
                                                 : BlockKind::Bytes504;
}

// A base for classes whose objects live in these blocks. Polymorphic classes need a virtual
// destructor, so that the compiler passes the actual size.
struct PooledObject {
  static void* operator new(size_t size) {
    if (C10_UNLIKELY(size > kLargestBlockBytes)) {
      return allocate_large(size);
    }
    return allocate_block(block_kind_for(size));
  }
  static void operator delete(void* block, size_t size) noexcept {
    if (C10_UNLIKELY(size > kLargestBlockBytes)) {
      free_large(block);
    } else {
      free_block(block_kind_for(size), block);
    }
  }
  static void* operator new(size_t, void* place) noexcept { return place; }
};

} // namespace c10::impl
