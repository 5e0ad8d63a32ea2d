#pragma once

// CUDA_KERNEL_ASSERT ends a kernel whose arguments are wrong, in every build type: an index past
// the end would otherwise overwrite other memory. The error is cudaErrorAssert, and like the errors
// of all kernels it shows at a later call.

#include <cuda_runtime.h>

#if defined(__CUDACC__)

// The toolkit declares it only in builds with assertions.
extern "C" __host__ __device__ void __assert_fail(
    const char* assertion, const char* file, unsigned int line, const char* function) noexcept;

#define CUDA_KERNEL_ASSERT(condition)                                          \
  do {                                                                         \
    if (!(condition)) __assert_fail(#condition, __FILE__, __LINE__, __func__); \
  } while (false)

#else

#define CUDA_KERNEL_ASSERT(condition)                                                     \
  do {                                                                                    \
    if (!(condition)) ::cuda_emulation::failed_assertion(#condition, __FILE__, __LINE__); \
  } while (false)

#endif
