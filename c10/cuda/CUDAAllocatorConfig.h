#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <limits>
#include <string>

namespace c10::cuda::CUDACachingAllocator {

// What PYTORCH_CUDA_ALLOC_CONF (or PYTORCH_ALLOC_CONF) sets: "name:value,name:value". The variable
// is read once, at the first allocation; set_config() replaces the values.
struct Config {
  // max_split_size_mb: cached blocks from this size on are given out whole or not at all.
  size_t max_split_size = std::numeric_limits<size_t>::max();
  // garbage_collection_threshold: before the cache grows beyond this share of the memory that the
  // process may use, blocks that nobody reused for long go back to the driver. 0 turns it off.
  double garbage_collection_threshold = 0;
  // roundup_power2_divisions: sizes are rounded up to one of so many steps between two powers of 2.
  size_t roundup_power2_divisions = 0;
  // expandable_segments: new segments reserve addresses and get memory as they grow.
  bool expandable_segments = false;
};

// Throws ValueError for a name or a value that it does not know, with the names that it does.
C10_CUDA_API Config parse_config(const std::string& text);
C10_CUDA_API const Config& config();
// For allocations from now on.
C10_CUDA_API void set_config(const Config& config);

} // namespace c10::cuda::CUDACachingAllocator
