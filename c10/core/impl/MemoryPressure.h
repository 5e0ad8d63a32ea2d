#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <string>

namespace c10::impl {

// The files that report how much memory is left; a test substitutes its own.
struct MemorySources {
  std::string meminfo = "/proc/meminfo";
  std::string cgroup = "/sys/fs/cgroup";
};

// Whether less than a tenth of the memory of the machine, or of the control group, is available.
C10_API bool memory_is_short(const MemorySources& sources);

// The same for this machine, checked at most ten times a second.
bool memory_is_short();

} // namespace c10::impl
