#pragma once
// What a counted object of shared memory begins with; its data follow.
#include <atomic>

namespace at {

struct alignas(64) SharedObjectHeader {
  // Mappings of the object, and those that are being handed from one process to another.
  std::atomic<int> references;
};
static_assert(std::atomic<int>::is_always_lock_free, "processes share the count");

} // namespace at
