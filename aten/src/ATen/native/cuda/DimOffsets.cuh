#pragma once

// From a linear position to the offsets of several arrays with strides of their own.

#include <ATen/cuda/IntegerDivider.cuh>
#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>

#include <cuda_runtime.h>

#include <cstdint>
#include <initializer_list>

namespace at::native {

// Up to 16 dimensions, innermost first. Positions are 64-bit numbers; the fast division serves as
// long as all of them are below 2^31.
template <int N>
struct DimOffsets {
  static constexpr int kMaxDims = 16;
  struct Offsets {
    int64_t of[N];
    C10_HOST_DEVICE int64_t operator[](int i) const { return of[i]; }
  };

  int count = 0;
  bool narrow = true;
  int64_t numel = 1;
  int64_t sizes[kMaxDims] = {};
  at::cuda::IntDivider divisors[kMaxDims];
  int64_t strides[kMaxDims][N] = {};

  void add(int64_t size, std::initializer_list<int64_t> steps) {
    TORCH_CHECK(count < kMaxDims, "CUDA kernels take at most ", kMaxDims, " dimensions");
    sizes[count] = size;
    divisors[count] =
        at::cuda::IntDivider(size > 0 && size < INT32_MAX ? static_cast<uint32_t>(size) : 1);
    int i = 0;
    for (const int64_t step : steps) {
      strides[count][i++] = step;
    }
    ++count;
    numel *= size;
    narrow = numel <= INT32_MAX;
  }

  C10_HOST_DEVICE Offsets operator()(int64_t position) const {
    Offsets result = {};
    for (int d = 0; d + 1 < count; ++d) {
      int64_t rest = 0;
      if (narrow) {
        rest = divisors[d].div(static_cast<uint32_t>(position));
      } else {
        rest = position / sizes[d];
      }
      const int64_t index = position - rest * sizes[d];
      position = rest;
      for (int i = 0; i < N; ++i) {
        result.of[i] += index * strides[d][i];
      }
    }
    if (count > 0) {
      for (int i = 0; i < N; ++i) {
        result.of[i] += position * strides[count - 1][i];
      }
    }
    return result;
  }
};

} // namespace at::native
