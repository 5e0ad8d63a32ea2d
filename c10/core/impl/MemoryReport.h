#pragma once

#include <c10/macros/Export.h>

#include <atomic>
#include <cstdint>

namespace c10::impl {

// Called for each allocation of the default CPU allocator with the number of bytes, and with the
// negative number when the memory is released, if it was allocated while the function was set.
using MemoryReport = void (*)(void* data, int64_t bytes);
C10_API extern std::atomic<MemoryReport> memory_report;

} // namespace c10::impl
