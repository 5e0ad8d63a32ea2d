#pragma once

// Fourier transforms along lines of device memory, by cuFFT. Without cuFFT they throw (no_cufft).

#include <ATen/native/FftPlan.h>
#include <c10/core/Device.h>
#include <c10/macros/Export.h>

#include <cstdint>

namespace at::cuda::fft {

// `batch` transforms of `length` points. Steps between the points of a line, and distances between
// lines, are in elements: real or complex numbers. Numbers are not scaled. A transform to real
// numbers may destroy its input.
struct Transform {
  native::FftKind kind;
  bool inverse, is_double;
  int64_t length, batch;
  int64_t in_step, in_distance, out_step, out_distance;
};

// Queues the transforms in the current stream.
void execute(const Transform& transform, void* in, void* out);

// Plans take long to make, so each device keeps those that were used last.
struct PlanCacheInfo {
  int64_t size, max_size;
};
TORCH_CUDA_CPP_API PlanCacheInfo plan_cache_info(c10::DeviceIndex device);
TORCH_CUDA_CPP_API void set_plan_cache_max_size(c10::DeviceIndex device, int64_t max_size);
TORCH_CUDA_CPP_API void clear_plan_cache(c10::DeviceIndex device);

} // namespace at::cuda::fft
