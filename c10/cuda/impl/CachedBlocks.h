#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

// The data of the caching allocator: see CUDACachingAllocator.h for what it is good for.
namespace c10::cuda::CUDACachingAllocator {

struct Block;
struct PrivatePool;
class ExpandableSegment;

// Free blocks by stream, then size, then address, so that the first one that is large enough is the
// best fit of its stream.
struct BlockOrder {
  bool operator()(const Block* a, const Block* b) const;
};

struct BlockPool {
  explicit BlockPool(bool small, PrivatePool* owner = nullptr) : small(small), owner(owner) {}
  std::set<Block*, BlockOrder> blocks;
  std::set<Block*, BlockOrder> holes; // parts of expandable segments that have no memory
  const bool small;
  PrivatePool* const owner;
};

struct PrivatePool {
  explicit PrivatePool(MempoolId_t id) : id(id), small(true, this), large(false, this) {}
  const MempoolId_t id;
  int uses = 1;
  CUDAAllocator* source = nullptr; // allocates its segments instead of cudaMalloc
  StatArray reserved_bytes{};
  BlockPool small;
  BlockPool large;
};

// A part of a segment. The blocks of a segment form a list; the segment lives as long as its first
// block, and that is never merged away.
struct Block {
  DeviceIndex device;
  cudaStream_t stream;
  size_t size;
  size_t requested = 0;
  BlockPool* pool;
  std::byte* data;
  bool allocated = false;
  Block* previous = nullptr;
  Block* next = nullptr;
  std::vector<CUDAStream> uses{};       // recorded streams
  int events = 0;                       // that must pass before it is free
  int64_t idle = 0;                     // the count of large requests when it became free
  ExpandableSegment* segment = nullptr; // that it is a part of, unless cudaMalloc gave it
  bool mapped = true;                   // whether it has memory
  Context context{};                    // where the block was allocated
  Context segment_context{};            // where its segment was allocated

  bool split() const { return previous != nullptr || next != nullptr; }
};

inline bool BlockOrder::operator()(const Block* a, const Block* b) const {
  return std::tuple(reinterpret_cast<uintptr_t>(a->stream), a->size, a->data) <
      std::tuple(reinterpret_cast<uintptr_t>(b->stream), b->size, b->data);
}

constexpr size_t kMinBlock = 512;
constexpr size_t kSmallSize = size_t{1} << 20;
constexpr size_t kSmallSegment = size_t{2} << 20;
constexpr size_t kMinLargeAlloc = size_t{10} << 20;
constexpr size_t kLargeSegment = size_t{20} << 20;
constexpr size_t kRoundLarge = size_t{2} << 20;

} // namespace c10::cuda::CUDACachingAllocator
