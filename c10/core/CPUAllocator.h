#pragma once

#include <c10/core/Allocator.h>

#include <cstddef>
#include <cstdint>

namespace c10 {

// The allocator that CPU tensors use.
C10_API Allocator* GetCPUAllocator();
C10_API void SetCPUAllocator(Allocator* allocator, uint8_t priority = 0);
C10_API Allocator* GetDefaultCPUAllocator();

// Allocates and frees aligned system memory, bypassing the cache.
constexpr size_t gAlignment = 64;
C10_API void* alloc_cpu(size_t bytes);
C10_API void free_cpu(void* data);

// The default allocator keeps freed blocks for reuse, so large temporaries do not fault their pages
// in again. TORCH_CPU_CACHE_MB limits the size of the cache (0 turns it off).
namespace CPUCachingAllocator {
C10_API void emptyCache();
C10_API size_t cachedBytes();
C10_API size_t cacheLimit();
C10_API void setCacheLimit(size_t bytes);
} // namespace CPUCachingAllocator

} // namespace c10
