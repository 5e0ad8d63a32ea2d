#pragma once

// The one place that launches kernels. The `<<<>>>` syntax would need nvcc, and this does not: a
// source that launches through it is CUDA for nvcc and C++ for the emulated device.

#include <cuda_runtime.h>

#include <cstddef>
#include <tuple>
#include <utility>

namespace at::cuda {

// Queues `kernel` on `stream` with `shared` bytes of dynamic shared memory. Arguments are converted
// to the kernel's parameters and copied before this returns. The error covers the launch alone:
// the kernel runs later, and its own errors show at a call that waits for it.
#if defined(__CUDACC__)

template <typename... Parameters, typename... Arguments>
cudaError_t launch(
    void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
    Arguments&&... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

#else

template <typename... Parameters, typename... Arguments>
cudaError_t launch(
    void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
    Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments));
  const std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
  return static_cast<cudaError_t>(::cuda_emulation::launch_kernel(
      reinterpret_cast<const void*>(kernel), {grid, block, shared}, stream, &values, sizeof(values),
      [kernel, values] { std::apply(kernel, values); }));
}

#endif

} // namespace at::cuda
