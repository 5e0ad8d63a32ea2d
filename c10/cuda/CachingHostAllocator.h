#pragma once

#include <c10/core/Allocator.h>
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

struct HostStats {
  int64_t allocations = 0;     // blocks that clients hold
  int64_t allocated_bytes = 0; // in them
  int64_t reserved_bytes = 0;  // that the driver gave
  int64_t num_host_alloc = 0;  // calls of cudaHostAlloc
  int64_t num_host_free = 0;   // calls of cudaFreeHost
};
C10_CUDA_API HostStats getStats();

} // namespace c10::cuda::CachingHostAllocator
