#pragma once

#include <cstddef>
#include <cstdint>

// The cache of the default CPU allocator. A block is a one-cache-line header followed by the data.
// Block sizes are rounded up to one of four classes per power of two, so that any free block of a
// class serves a request for it.
namespace c10::impl {

struct alignas(64) CPUBlock {
  CPUBlock *next, *previous; // free blocks of the same class
  CPUBlock *newer, *older;   // free blocks of all classes
  size_t capacity;           // bytes of data
  size_t mapped;             // size of the mapping in bytes; 0 if allocated with malloc
  uint32_t size_class;
  size_t reported; // bytes that a profiler saw allocated; 0 if none was running

  void* data() { return this + 1; }
  static CPUBlock* of(void* data) { return static_cast<CPUBlock*>(data) - 1; }
};

// Throws OutOfMemory's RuntimeError if the system has no memory left even after the caches are
// emptied.
CPUBlock* take_cpu_block(size_t bytes);
void give_cpu_block(CPUBlock* block) noexcept;

} // namespace c10::impl
