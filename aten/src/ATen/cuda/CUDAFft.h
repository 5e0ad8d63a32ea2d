#pragma once

// Fourier transforms along lines of device memory, by cuFFT. Without cuFFT they throw (no_cufft).

#include <ATen/native/FftPlan.h>

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

} // namespace at::cuda::fft
