#pragma once

#include <c10/macros/Export.h>

#define C10_LIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 1))
#define C10_UNLIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 0))
#define C10_LIKELY_OR_CONST(expr) C10_LIKELY(expr)
#define C10_UNLIKELY_OR_CONST(expr) C10_UNLIKELY(expr)

#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_ALWAYS_INLINE_ATTRIBUTE __attribute__((always_inline))
#define C10_NOINLINE __attribute__((noinline))
#define C10_COLD __attribute__((cold, noinline))
#define C10_UNUSED [[maybe_unused]]
#define C10_NODISCARD [[nodiscard]]
#define C10_FALLTHROUGH [[fallthrough]]
#define C10_RESTRICT __restrict
#define C10_LAUNDER(p) __builtin_launder(p)
#define C10_UNREACHABLE() __builtin_unreachable()

#define C10_STRINGIZE_IMPL(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_IMPL(x)
#define C10_CONCATENATE_IMPL(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_IMPL(a, b)
#define C10_UID __COUNTER__
#define C10_ANONYMOUS_VARIABLE(prefix) C10_CONCATENATE(prefix, __COUNTER__)

#define C10_DISABLE_COPY_AND_ASSIGN(classname) \
  classname(const classname&) = delete;        \
  classname& operator=(const classname&) = delete

#if defined(__CUDACC__)
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#else
#define C10_HOST_DEVICE
#define C10_DEVICE
#define C10_HOST
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define C10_SANITIZER_ENABLED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define C10_SANITIZER_ENABLED 1
#endif
#endif
#ifndef C10_SANITIZER_ENABLED
#define C10_SANITIZER_ENABLED 0
#endif

// Marks thread-local state that every operator call reads: access is one fs-relative load and never
// calls __tls_get_addr. Only a few words may use it, because libraries opened by dlopen share a
// small static TLS block.
#define C10_FAST_TLS __attribute__((tls_model("initial-exec")))

// For functions that kernels call as well: inlined, and compiled for the device where nvcc
// compiles.
#if defined(__CUDACC__)
#define C10_HOST_DEVICE_INLINE __host__ __device__ __forceinline__
#else
#define C10_HOST_DEVICE_INLINE C10_ALWAYS_INLINE
#endif
