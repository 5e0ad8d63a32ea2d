#pragma once

// The dimensions of a reduction, in as few as its strides allow. Used by the drivers of the CPU and
// of other devices.

#include <ATen/core/TensorBase.h>
#include <ATen/native/ReduceDriver.h>
#include <c10/macros/Export.h>

#include <algorithm>
#include <cstdint>

namespace at::native {

struct ReduceDim {
  int64_t size;
  int64_t in_stride;
  int64_t out_stride;
  int64_t out2_stride;
};

struct DimList {
  ReduceDim dims[64];
  int count = 0;

  DimList() {} // leaves `dims` uninitialized: most reductions use two or three

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < count; ++d) {
      n *= dims[d].size;
    }
    return n;
  }

  // Orders dimensions by the input's stride, innermost first, and merges adjacent ones that can be
  // traversed as one.
  void insert(const ReduceDim& dim) {
    int at = count++;
    while (at > 0 && dims[at - 1].in_stride > dim.in_stride) {
      dims[at] = dims[at - 1];
      --at;
    }
    dims[at] = dim;
  }

  void coalesce() {
    int kept = 0;
    for (int d = 1; d < count; ++d) {
      ReduceDim& low = dims[kept];
      const ReduceDim& high = dims[d];
      if (high.in_stride == low.in_stride * low.size &&
          high.out_stride == low.out_stride * low.size &&
          high.out2_stride == low.out2_stride * low.size) {
        low.size *= high.size;
      } else {
        dims[++kept] = high;
      }
    }
    count = std::min(count, kept + 1);
  }
};

// Fills `outs` with the kept dimensions and `reds` with the folded ones; each has at least one. A
// reduction of nothing has a dimension of size zero in `reds`.
TORCH_API void reduce_geometry(
    const TensorBase& in, DimMask mask, const TensorBase& out, const TensorBase& out2,
    DimList& outs, DimList& reds);

} // namespace at::native
