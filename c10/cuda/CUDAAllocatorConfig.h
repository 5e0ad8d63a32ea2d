#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace c10::cuda::CUDACachingAllocator {

// What PYTORCH_CUDA_ALLOC_CONF (or PYTORCH_ALLOC_CONF) sets: "name:value,name:value". The variable
// is read once, at the first allocation; set_config() replaces the values.
struct Config {
  // max_split_size_mb: cached blocks from this size on are given out whole or not at all.
  size_t max_split_size = std::numeric_limits<size_t>::max();
  // garbage_collection_threshold: before the cache grows beyond this share of the memory that the
  // process may use, blocks that nobody reused for long go back to the driver. 0 turns it off.
  double garbage_collection_threshold = 0;
  // max_non_split_rounding_mb: how much larger than the request such a block may be.
  size_t max_non_split_rounding = size_t{20} << 20;
  // per_process_memory_fraction: at most this share of a device's memory.
  std::optional<double> memory_fraction;
  // roundup_power2_divisions: sizes are rounded up to one of so many steps between two powers of 2.
  // The number of steps for sizes below each limit, by ascending limits.
  std::vector<std::pair<size_t, size_t>> roundup_power2_divisions;
  // pinned_use_cuda_host_register: pinned memory is ordinary memory that is registered, which
  // several threads may touch first (pinned_num_register_threads).
  bool registers_pinned_memory = false;
  size_t pinned_register_threads = 1;
  // expandable_segments: new segments reserve addresses and get memory as they grow.
  bool expandable_segments = false;

  // The number of steps for a size; 0 if it is not rounded to them.
  size_t divisions_for(size_t bytes) const {
    for (const auto& [limit, divisions] : roundup_power2_divisions) {
      if (bytes < limit) return divisions;
    }
    return 0;
  }
};

// Throws ValueError for a name or a value that it does not know, with the names that it does.
C10_CUDA_API Config parse_config(const std::string& text);
C10_CUDA_API const Config& config();
// For allocations from now on.
C10_CUDA_API void set_config(const Config& config);

} // namespace c10::cuda::CUDACachingAllocator
