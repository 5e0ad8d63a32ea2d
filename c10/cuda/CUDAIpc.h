#pragma once

// Memory of CUDA devices that processes share.

#include <c10/core/Allocator.h>
#include <c10/macros/Export.h>

#include <cstddef>
#include <functional>
#include <string>

namespace c10::cuda {

// Where other processes find a block: a place in a segment of the caching allocator. The segment's
// handle is the same for all its blocks, and valid as long as the segment exists.
struct SharedBlock {
  DeviceIndex device;
  std::string segment;
  size_t offset;
};

// Throws for memory that another process shares with this one, and for memory that has no handle:
// that of expandable segments, and of other allocators. The caller keeps the memory alive.
C10_CUDA_API SharedBlock share_block(const DataPtr& data);

// The memory of another process's block. A segment is mapped once, however many of its blocks are
// open. When the memory is no longer used, the work of the current stream is waited for, and then
// `closed` is called.
C10_CUDA_API DataPtr open_block(const SharedBlock& block, std::function<void()> closed);

} // namespace c10::cuda
