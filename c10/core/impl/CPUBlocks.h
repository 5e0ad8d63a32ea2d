#pragma once

#include <cstddef>
#include <cstdint>

// The caching behind the default CPU allocator. A block is a header of one cache line and the data;
// its size is rounded up to one of four classes per power of two, so that any free block of the
// class serves a request.
namespace c10::impl {

struct alignas(64) CPUBlock {
  CPUBlock* next;
  size_t capacity; // bytes of data
  size_t mapped;   // bytes of the mapping it came from; 0 when it came from malloc
  uint32_t size_class;

  void* data() { return this + 1; }
  static CPUBlock* of(void* data) { return static_cast<CPUBlock*>(data) - 1; }
};

// Throws OutOfMemory's RuntimeError when the system has nothing left even after emptying the
// caches.
CPUBlock* take_cpu_block(size_t bytes);
void give_cpu_block(CPUBlock* block) noexcept;

} // namespace c10::impl
