#pragma once

// The address sanitizer's interface, or nothing without it.

#include <c10/macros/Macros.h>

#include <cstddef>

#if C10_SANITIZER_ENABLED && __has_include(<sanitizer/asan_interface.h>) && \
    (defined(__SANITIZE_ADDRESS__) || defined(__clang__))
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define CUDA_EMULATION_ASAN 1
#else
#define CUDA_EMULATION_ASAN 0
#endif

namespace cuda_emulation {

inline void poison([[maybe_unused]] const void* start, [[maybe_unused]] size_t bytes) {
#if CUDA_EMULATION_ASAN
  __asan_poison_memory_region(start, bytes);
#endif
}
inline void unpoison([[maybe_unused]] const void* start, [[maybe_unused]] size_t bytes) {
#if CUDA_EMULATION_ASAN
  __asan_unpoison_memory_region(start, bytes);
#endif
}

} // namespace cuda_emulation
