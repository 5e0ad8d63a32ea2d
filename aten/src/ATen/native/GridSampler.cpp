// grid_sample: images and volumes read at points given in [-1, 1], and affine_grid.

#include <ATen/core/Tensor.h>

#include <ATen/native/GridSample.h>
#include <ATen/ops/affine_grid_generator_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/grid_sampler_2d_backward_native.h>
#include <ATen/ops/grid_sampler_2d_native.h>
#include <ATen/ops/grid_sampler_3d.h>
#include <ATen/ops/grid_sampler_3d_backward_native.h>
#include <ATen/ops/grid_sampler_3d_native.h>
#include <ATen/ops/grid_sampler_native.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/to.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <limits>

namespace at::native {

DEFINE_DISPATCH(grid_sample_stub);
DEFINE_DISPATCH(grid_sample_backward_stub);

namespace {

void check_arguments(const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding) {
  TORCH_CHECK(
      input.device() == grid.device(),
      "grid_sampler(): expected input and grid to be on same device, but input is on ",
      input.device(), " and grid is on ", grid.device());
  TORCH_CHECK(
      input.size(0) == grid.size(0),
      "grid_sampler(): expected grid and input to have same batch size, but got input with sizes ",
      input.sizes(), " and grid with sizes ", grid.sizes());
  TORCH_CHECK(
      grid.size(-1) == input.dim() - 2, "grid_sampler(): expected grid to have size ",
      input.dim() - 2, " in last dimension, but got grid with sizes ", grid.sizes());
  for (int64_t d = 2; d < input.dim(); ++d) {
    TORCH_CHECK(
        input.size(d) > 0,
        "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes ",
        input.sizes(), " with dimension ", d, " being empty");
  }
  TORCH_CHECK(
      mode >= 0 && mode <= 2 && padding >= 0 && padding <= 2,
      "grid_sampler(): unknown interpolation mode ", mode, " or padding mode ", padding);
}

GridSampling sampling_of(
    const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners,
    int64_t dims) {
  check_arguments(input, grid, mode, padding);
  TORCH_CHECK(
      input.dim() == dims + 2 && grid.dim() == dims + 2, "grid_sampler(): expected ", dims + 2,
      "D input and grid with same number of dimensions, but got input with sizes ", input.sizes(),
      " and grid with sizes ", grid.sizes());
  TORCH_CHECK(
      dims == 2 || mode != static_cast<int64_t>(GridMode::Cubic),
      "grid_sampler(): bicubic interpolation only supports 4D input");
  TORCH_CHECK(
      input.scalar_type() == grid.scalar_type(), "expected scalar type ", input.scalar_type(),
      " but found ", grid.scalar_type());
  GridSampling s{
      dims,
      input.size(0),
      input.size(1),
      c10::multiply_integers(grid.sizes().slice(1, dims)),
      {1, 1, 1},
      static_cast<GridMode>(mode),
      static_cast<GridPadding>(padding),
      align_corners,
      input.scalar_type() == kDouble};
  for (int64_t d = 0; d < dims; ++d) {
    s.in[d] = input.size(input.dim() - 1 - d);
  }
  TORCH_CHECK(
      s.in_size() <= std::numeric_limits<int32_t>::max(),
      "grid_sampler(): images of more than 2^31 - 1 elements per channel are not supported, but "
      "input has sizes ",
      input.sizes());
  return s;
}

void check_dtype(const char* name, const Tensor& input) {
  const ScalarType dtype = input.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(
      dtype == kFloat || dtype == kDouble || c10::isHalfFloatingType(dtype), '"', name,
      "\" not implemented for '", dtype, "'");
}

// The 16-bit floats are computed in float32.
Tensor wide(const Tensor& tensor) {
  const bool low = c10::isHalfFloatingType(tensor.scalar_type());
  return (low ? at::methods::to(tensor, kFloat) : tensor).contiguous();
}

Tensor run(const GridSampling& s, const Tensor& input, const Tensor& grid) {
  c10::DimVector sizes = {s.batch, s.channels};
  const IntArrayRef inner = grid.sizes().slice(1, s.dims);
  sizes.append(inner.begin(), inner.end());
  if (input.is_meta()) {
    return at::empty(sizes, input.options());
  }
  check_dtype("grid_sampler", input);
  const Tensor in = wide(input), points = wide(grid);
  Tensor out = at::empty(sizes, in.options());
  grid_sample_stub(
      in.device().type(), s, in.const_data_ptr(), points.const_data_ptr(), out.mutable_data_ptr());
  return at::methods::to(out, input.scalar_type());
}

std::tuple<Tensor, Tensor> run_backward(
    const GridSampling& s, const Tensor& grad, const Tensor& input, const Tensor& grid,
    std::array<bool, 2> wanted) {
  const Tensor from = wide(grad), in = wide(input), points = wide(grid);
  Tensor grad_in, grad_grid;
  if (wanted[0]) {
    grad_in = at::zeros(input.sizes(), in.options());
  }
  if (wanted[1]) {
    grad_grid = at::zeros(grid.sizes(), in.options());
  }
  if (!input.is_meta()) {
    check_dtype("grid_sampler_backward", input);
    grid_sample_backward_stub(
        in.device().type(), s, from.const_data_ptr(), in.const_data_ptr(), points.const_data_ptr(),
        wanted[0] ? grad_in.mutable_data_ptr() : nullptr,
        wanted[1] ? grad_grid.mutable_data_ptr() : nullptr);
  }
  const ScalarType dtype = input.scalar_type();
  return {
      wanted[0] ? at::methods::to(grad_in, dtype) : grad_in,
      wanted[1] ? at::methods::to(grad_grid, dtype) : grad_grid};
}

} // namespace

Tensor grid_sampler_2d(
    const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners) {
  return run(sampling_of(input, grid, mode, padding, align_corners, 2), input, grid);
}
Tensor grid_sampler_3d(
    const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners) {
  return run(sampling_of(input, grid, mode, padding, align_corners, 3), input, grid);
}
std::tuple<Tensor, Tensor> grid_sampler_2d_backward(
    const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
    bool align_corners, std::array<bool, 2> output_mask) {
  const GridSampling s = sampling_of(input, grid, mode, padding, align_corners, 2);
  return run_backward(s, grad, input, grid, output_mask);
}
std::tuple<Tensor, Tensor> grid_sampler_3d_backward(
    const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
    bool align_corners, std::array<bool, 2> output_mask) {
  const GridSampling s = sampling_of(input, grid, mode, padding, align_corners, 3);
  return run_backward(s, grad, input, grid, output_mask);
}

Tensor grid_sampler(
    const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners) {
  check_arguments(input, grid, mode, padding);
  return input.dim() == 5 ? at::grid_sampler_3d(input, grid, mode, padding, align_corners)
                          : at::grid_sampler_2d(input, grid, mode, padding, align_corners);
}

// Points (x, y, 1) or (x, y, z, 1) of a regular grid, mapped by theta.
Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners) {
  TORCH_CHECK(
      size.size() == 4 || size.size() == 5,
      "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  const TensorOptions options = theta.options();
  c10::DimVector full(size.slice(2));
  full.push_back(1);
  std::vector<Tensor> columns;
  for (int64_t d = 0; d < dims; ++d) {
    const int64_t axis = dims - 1 - d, count = size[axis + 2];
    Tensor line = count <= 1 ? at::zeros({count}, options) : at::linspace(-1, 1, count, options);
    if (!align_corners) {
      line = at::mul(line, static_cast<double>(count - 1) / static_cast<double>(count));
    }
    c10::DimVector shape(static_cast<size_t>(dims) + 1, 1);
    shape[axis] = count;
    columns.push_back(at::methods::expand(at::reshape(line, shape), full));
  }
  columns.push_back(at::ones(full, options));
  const Tensor base = at::reshape(at::cat(columns, -1), {1, -1, dims + 1});
  c10::DimVector sizes = {size[0]};
  sizes.append(size.begin() + 2, size.end());
  sizes.push_back(dims);
  return at::methods::view(at::matmul(base, at::transpose(theta, 1, 2)), sizes);
}

} // namespace at::native
