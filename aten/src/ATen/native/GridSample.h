#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/macros/Macros.h>

#include <array>
#include <cstdint>

namespace at::native {

// The numbers are those of the schema.
enum class GridMode { Linear, Nearest, Cubic };
enum class GridPadding { Zeros, Border, Reflection };

// Images [batch][channels][depth, height, width] and points [batch][points][x, y, z], all
// contiguous. Sizes come in the order of the grid's last dimension: width, height, depth.
struct GridSampling {
  int64_t dims, batch, channels, points;
  std::array<int64_t, 3> in;
  GridMode mode;
  GridPadding padding;
  bool align_corners, is_double;

  C10_HOST_DEVICE int64_t in_size() const { return in[0] * in[1] * in[2]; }
};

// out: [batch][channels][points]
using grid_sample_fn =
    void (*)(const GridSampling& sampling, const void* in, const void* grid, void* out);
DECLARE_DISPATCH(grid_sample_fn, grid_sample_stub);

// Adds to grad_in and grad_grid, which hold zeros; either may be null.
using grid_sample_backward_fn = void (*)(
    const GridSampling& sampling, const void* grad, const void* in, const void* grid, void* grad_in,
    void* grad_grid);
DECLARE_DISPATCH(grid_sample_backward_fn, grid_sample_backward_stub);

} // namespace at::native
