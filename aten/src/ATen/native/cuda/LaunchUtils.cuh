#pragma once

// Launches on the current stream.

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace at::native {

template <typename... Parameters, typename... Arguments>
void launch_on_current_stream(
    void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared, Arguments&&... arguments) {
  C10_CUDA_CHECK(at::cuda::launch(
      kernel, grid, block, shared, c10::cuda::getCurrentCUDAStream().stream(),
      std::forward<Arguments>(arguments)...));
}

inline int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// The power of two that is `n` or the next below.
inline int64_t floor_pow2(int64_t n) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}
inline int64_t ceil_pow2(int64_t n) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}

// How many blocks of `threads` threads the device runs at once.
inline int64_t resident_blocks(int64_t threads) {
  const cudaDeviceProp& device = c10::cuda::device_properties();
  return device.multiProcessorCount *
      std::max<int64_t>(1, device.maxThreadsPerMultiProcessor / threads);
}

template <typename F>
__global__ void for_each_index_kernel(int64_t n, F f) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

// Calls f(i) on the device for 0 <= i < n, in blocks of whole warps.
template <typename F>
void for_each_index(int64_t n, const F& f) {
  if (n == 0) {
    return;
  }
  const int64_t threads = std::min<int64_t>(256, ceil_div(n, 32) * 32);
  launch_on_current_stream(
      for_each_index_kernel<F>, static_cast<unsigned>(ceil_div(n, threads)),
      static_cast<unsigned>(threads), 0, n, f);
}

} // namespace at::native
