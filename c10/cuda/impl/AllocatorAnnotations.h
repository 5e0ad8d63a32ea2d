#pragma once

// Tells the emulated device which parts of a segment are in use, so that it finds streams that use
// memory after it was freed. On hardware, nothing.

#include <cuda_runtime_api.h>

#if defined(C10_CUDA_EMULATED)
#include <c10/cuda/emulated/Emulation.h>
#endif

#include <cstddef>

namespace c10::cuda::CUDACachingAllocator {

#if defined(C10_CUDA_EMULATED)
using ::cuda_emulation::annotate_allocation;
using ::cuda_emulation::annotate_free;
#else
inline void annotate_allocation(void*, size_t, cudaStream_t) {}
inline void annotate_free(void*, size_t, cudaStream_t) {}
#endif

} // namespace c10::cuda::CUDACachingAllocator
