#pragma once

// What a kernel sees of the emulator: its own indices, barriers, and shared memory. Kernels reach
// all of it through cuda_runtime.h, c10/cuda/CUDALaunch.h and c10/cuda/CUDAShared.h.

#include <c10/macros/Export.h>

#include <cstddef>
#include <cstdint>
#include <functional>

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

typedef struct CUstream_st* cudaStream_t;

namespace cuda_emulation {

struct DeviceThread {
  uint3 thread_index;
  uint3 block_index;
  dim3 block_size;
  dim3 grid_size;
  int lane; // within its warp
};

// The thread of a kernel that the calling fiber runs; outside a kernel, an error.
C10_API const DeviceThread& this_thread();

// Waits until every thread of the block that has not ended is here. Returns how many brought a
// `vote` other than zero.
C10_API int block_barrier(int vote, const char* file, int line);
// Waits until every lane of the mask is here. Returns 32 words: what each lane brought.
C10_API const uint64_t* warp_exchange(unsigned mask, uint64_t word);
// Exempts the running kernel from the check that the order of its threads does not matter.
C10_API void order_dependent();

// Ends the kernel with cudaErrorAssert.
[[noreturn]] C10_API void failed_assertion(const char* condition, const char* file, int line);

// The block's variable that is declared at `site`; a block gets it filled with 0xFF bytes.
C10_API void* shared_variable(const void* site, size_t bytes, size_t alignment, const char* name);
C10_API void* dynamic_shared();

struct LaunchShape {
  dim3 grid;
  dim3 block;
  size_t shared_bytes;
};

// Queues a kernel. `code` is the kernel's address, from which reports take its name; `arguments`
// are the bytes of its arguments, in which the runtime looks for pointers to host memory.
C10_API int launch_kernel(
    const void* code, const LaunchShape& shape, cudaStream_t stream, const void* arguments,
    size_t argument_bytes, std::function<void()> thread);

} // namespace cuda_emulation
