#pragma once

// Declarations of shared memory that are CUDA for nvcc and C++ for the emulated device, which gives
// each array a place of its own between pages that no thread may touch.
//
//   C10_SHARED(float, tile, 256);        // float tile[256], one per block
//   C10_DYNAMIC_SHARED(float, scratch);  // float* to the bytes that the launch asks for

#include <cuda_runtime.h>

#if defined(__CUDACC__)

#define C10_SHARED(type, name, count) __shared__ type name[count]
#define C10_DYNAMIC_SHARED(type, name)                                \
  extern __shared__ __align__(16) unsigned char c10_dynamic_shared[]; \
  type* const name = reinterpret_cast<type*>(c10_dynamic_shared)
// Says that results may depend on the order of threads, as when each takes the next free slot.
#define C10_ORDER_DEPENDENT() static_cast<void>(0)

#else

#define C10_SHARED(type, name, count)                                          \
  static const char name##_site = 0;                                           \
  auto& name = *static_cast<type(*)[count]>(::cuda_emulation::shared_variable( \
      &name##_site, sizeof(type) * (count), alignof(type), #name))
#define C10_DYNAMIC_SHARED(type, name) \
  type* const name = static_cast<type*>(::cuda_emulation::dynamic_shared())
#define C10_ORDER_DEPENDENT() ::cuda_emulation::order_dependent()

#endif
