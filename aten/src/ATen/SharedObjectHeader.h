#pragma once
// The header of a reference-counted object in shared memory; the data follows it.
#include <atomic>

namespace at {

struct alignas(64) SharedObjectHeader {
  // Counts the mappings of the object and references in transit between processes.
  std::atomic<int> references;
};
static_assert(std::atomic<int>::is_always_lock_free, "processes share the count");

} // namespace at
