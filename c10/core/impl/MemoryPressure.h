#pragma once

#include <c10/macros/Macros.h>

#include <cstddef>
#include <string>

namespace c10::impl {

// Where the system tells how much memory is left; a test points these at its own files.
struct MemorySources {
  std::string meminfo = "/proc/meminfo";
  std::string cgroup = "/sys/fs/cgroup";
};

// Whether less than a tenth of the machine's memory, or of the control group's, is still available.
C10_API bool memory_is_short(const MemorySources& sources);

// The same for this machine, looked up at most ten times a second.
bool memory_is_short();

} // namespace c10::impl
