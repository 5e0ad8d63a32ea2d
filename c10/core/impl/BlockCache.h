#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <cstdint>

namespace c10::impl {

// Per-thread free lists for the objects that every operator allocates. Taking or returning a block
// costs a few instructions; only a thread's first use and overflow leave the inline path.
//
// Most blocks are eight bytes short of a multiple of 16, because malloc adds eight bytes to each:
// these sizes waste nothing. Storages whose data should begin at a cache line have blocks of their
// own.
enum class BlockKind : uint8_t {
  Bytes56,
  Bytes120,
  Tensor,
  Bytes248,
  Bytes504,
  Aligned192,
  Aligned384,
  NumKinds
};

constexpr size_t kTensorBlockBytes = 168;
constexpr size_t kLargestBlockBytes = 504;
constexpr size_t kAlignedBlockAlignment = 64;
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
    case BlockKind::Bytes56:
      return 56;
    case BlockKind::Bytes120:
      return 120;
    case BlockKind::Tensor:
      return kTensorBlockBytes;
    case BlockKind::Bytes248:
      return 248;
    case BlockKind::Aligned192:
      return 192;
    case BlockKind::Aligned384:
      return 384;
    default:
      return kLargestBlockBytes;
  }
}

// Blocks of the other kinds have malloc's alignment.
constexpr bool is_cache_aligned(BlockKind kind) {
  return kind == BlockKind::Aligned192 || kind == BlockKind::Aligned384;
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
  return size <= 56               ? use.template operator()<BlockKind::Bytes56>()
      : size <= 120               ? use.template operator()<BlockKind::Bytes120>()
      : size <= kTensorBlockBytes ? use.template operator()<BlockKind::Tensor>()
      : size <= 248               ? use.template operator()<BlockKind::Bytes248>()
                                  : use.template operator()<BlockKind::Bytes504>();
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
