#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <cstdint>

namespace c10::impl {

// Per-thread free lists for the objects every operator makes. Taking and giving back a block is a
// few instructions; only the first use in a thread and overflow leave the inline path.
enum class BlockKind : uint8_t { Tensor, Storage, NumKinds };

constexpr size_t kBlockAlignment = 64;
constexpr size_t kTensorBlockBytes = 192;
constexpr size_t kStorageBlockBytes = 128 + 256;
constexpr uint32_t kBlocksPerThread = 512;

struct BlockCache {
  struct Node {
    Node* next;
  };
  Node* head[static_cast<size_t>(BlockKind::NumKinds)];
  // How many more blocks may be kept: zero before the first use, and again once the thread ends,
  // so that both cases take the slow path.
  uint32_t room[static_cast<size_t>(BlockKind::NumKinds)];
};

extern C10_API constinit thread_local BlockCache block_cache C10_FAST_TLS;

constexpr size_t block_bytes(BlockKind kind) {
  return kind == BlockKind::Tensor ? kTensorBlockBytes : kStorageBlockBytes;
}

C10_API void* allocate_block_slow(BlockKind kind);
C10_API void free_block_slow(BlockKind kind, void* block) noexcept;

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

} // namespace c10::impl
