#pragma once

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/macros/Macros.h>

#include <cstddef>

// Host memory that devices reach by themselves (pinned memory), which asynchronous copies need.
//
// Pinning pages takes as long as a copy of megabytes, so freed blocks are kept. Sizes are powers of
// two from 512 bytes, with a free list for each: a data loader asks for the same few sizes again
// and again, so splitting and merging would only cost time. The price is up to half of a block
// unused.
//
// The host frees a block while copies from or to it may still wait in a stream. A copy therefore
// records its stream, and the block is not given out again before an event there has passed.
namespace c10::cuda::CachingHostAllocator {

C10_CUDA_API Allocator* get();
// Whether the address lies in a block that a client holds.
C10_CUDA_API bool isPinned(const void* pointer);
// The block that holds the address stays untouched until the stream's work of now is done. Ignores
// any other address.
C10_CUDA_API void recordStream(const void* pointer, const CUDAStream& stream);
// Returns free blocks to the driver.
C10_CUDA_API void emptyCache();

struct Durations { // in microseconds
  int64_t total = 0;
  int64_t max = 0;
  int64_t min = 0;
  int64_t count = 0;
  void add(int64_t duration);
};
struct HostStats {
  using Stat = CUDACachingAllocator::Stat;
  Stat allocations;           // blocks that the driver gave
  Stat allocated_bytes;       // in them
  Stat active_requests;       // blocks that clients hold or that a stream still uses
  Stat active_bytes;          // in them
  int64_t num_host_alloc = 0; // calls of the driver that pin memory
  int64_t num_host_free = 0;  // calls that undo it
  Durations host_alloc_time;
  Durations host_free_time;
};
C10_CUDA_API HostStats getStats();
C10_CUDA_API void resetPeakStats();
C10_CUDA_API void resetAccumulatedStats();

} // namespace c10::cuda::CachingHostAllocator
