// grid_sample: images and volumes read at points given in [-1, 1], and affine_grid.

#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
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

#include <algorithm>
#include <array>
#include <cmath>

namespace at::native {
namespace {

// The numbers are those of the schema.
enum class Mode { Linear, Nearest, Cubic };
enum class Padding { Zeros, Border, Reflection };

// Sizes in the order of the grid's last dimension: width, height, depth.
struct Sampling {
  int64_t dims, batch, channels, points;
  std::array<int64_t, 3> in;
  Mode mode;
  Padding padding;
  bool align_corners;

  int64_t in_size() const { return in[0] * in[1] * in[2]; }
};

// A number and its derivative by the grid's coordinate.
template <typename T>
struct Slope {
  T value, by;
};

// From [-1, 1] to [0, size - 1], or to the outer corners of the first and last pixel.
template <typename T>
Slope<T> position(const Sampling& s, T at, int64_t size) {
  const auto n = static_cast<T>(size);
  return s.align_corners ? Slope<T>{(at + 1) / 2 * (n - 1), (n - 1) / 2}
                         : Slope<T>{((at + 1) * n - 1) / 2, n / 2};
}

template <typename T>
Slope<T> clipped(Slope<T> x, int64_t size) {
  const auto last = static_cast<T>(size - 1);
  if (!(x.value > 0)) {
    return {0, 0};
  }
  return x.value >= last ? Slope<T>{last, 0} : x;
}

// Reflection between the centers of the outer pixels or, without align_corners, their outer sides.
template <typename T>
Slope<T> reflected(const Sampling& s, Slope<T> x, int64_t size) {
  const T low = s.align_corners ? T(0) : T(-0.5);
  const T span = static_cast<T>(s.align_corners ? size - 1 : size);
  if (span == 0) {
    return {0, 0};
  }
  T at = x.value - low;
  if (at < 0) {
    at = -at;
    x.by = -x.by;
  }
  const T extra = std::fmod(at, span);
  const bool even = std::fmod(std::floor(at / span), T(2)) == 0;
  return even ? Slope<T>{extra + low, x.by} : Slope<T>{span - extra + low, -x.by};
}

template <typename T>
Slope<T> inside(const Sampling& s, Slope<T> x, int64_t size) {
  switch (s.padding) {
    case Padding::Border:
      return clipped(x, size);
    case Padding::Reflection:
      return clipped(reflected(s, x, size), size);
    default:
      return x;
  }
}

// The elements of one axis that a point reads: their places (-1 outside), weights and derivatives.
template <typename T>
struct Taps {
  int count = 1;
  std::array<int64_t, 4> at = {0, 0, 0, 0};
  std::array<T, 4> weight = {1, 0, 0, 0};
  std::array<T, 4> by = {0, 0, 0, 0};

  void set(int i, T place, int64_t size, T weight_at, T slope) {
    at[i] = place >= 0 && place <= static_cast<T>(size - 1) ? static_cast<int64_t>(place) : -1;
    weight[i] = weight_at;
    by[i] = slope;
  }
};

// Cubic convolution with a = -0.75, of the elements at distances 1 + t, t, 1 - t and 2 - t.
template <typename T>
Slope<T> cubic_weight(T x) {
  constexpr T a = -0.75;
  return x <= 1
      ? Slope<T>{((a + 2) * x - (a + 3)) * x * x + 1, (3 * (a + 2) * x - 2 * (a + 3)) * x}
      : Slope<T>{((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a};
}

template <typename T>
Taps<T> taps_of(const Sampling& s, T coordinate, int64_t size) {
  Taps<T> taps;
  Slope<T> x = position(s, coordinate, size);
  if (s.mode == Mode::Cubic) {
    const T base = std::floor(x.value), t = x.value - base;
    taps.count = 4;
    for (int i = 0; i < 4; ++i) {
      const T signed_distance = t - static_cast<T>(i - 1);
      const Slope<T> w = cubic_weight(std::abs(signed_distance));
      const T place = inside(s, Slope<T>{base + static_cast<T>(i - 1), 0}, size).value;
      taps.set(
          i, std::nearbyint(place), size, w.value, (signed_distance < 0 ? -w.by : w.by) * x.by);
    }
    return taps;
  }
  x = inside(s, x, size);
  if (s.mode == Mode::Nearest) {
    taps.set(0, std::nearbyint(x.value), size, 1, 0);
    return taps;
  }
  const T base = std::floor(x.value), t = x.value - base;
  taps.count = 2;
  taps.set(0, base, size, 1 - t, -x.by);
  taps.set(1, base + 1, size, t, x.by);
  return taps;
}

template <typename T>
using Axes = std::array<Taps<T>, 3>;

template <typename T>
Axes<T> axes_at(const Sampling& s, const T* point) {
  Axes<T> axes;
  for (int64_t d = 0; d < s.dims; ++d) {
    axes[d] = taps_of(s, point[d], s.in[d]);
  }
  return axes;
}

// Calls f(element, x, y, z) for every element inside that a point reads.
template <typename T, typename F>
void for_each_tap(const Sampling& s, const Axes<T>& axes, const F& f) {
  for (int z = 0; z < axes[2].count; ++z) {
    for (int y = 0; y < axes[1].count; ++y) {
      for (int x = 0; x < axes[0].count; ++x) {
        const int64_t column = axes[0].at[x], row = axes[1].at[y], depth = axes[2].at[z];
        if (column >= 0 && row >= 0 && depth >= 0) {
          f((depth * s.in[1] + row) * s.in[0] + column, x, y, z);
        }
      }
    }
  }
}

template <typename T>
void sample(const Sampling& s, const T* in, const T* grid, T* out) {
  at::parallel_for(0, s.batch * s.points, 256, [&](int64_t begin, int64_t end) {
    std::array<int64_t, 64> element{};
    std::array<T, 64> weight{};
    for (int64_t i = begin; i < end; ++i) {
      const Axes<T> axes = axes_at(s, grid + i * s.dims);
      int count = 0;
      for_each_tap(s, axes, [&](int64_t at, int x, int y, int z) {
        element[count] = at;
        weight[count++] = axes[0].weight[x] * axes[1].weight[y] * axes[2].weight[z];
      });
      const int64_t image = i / s.points;
      const T* plane = in + image * s.channels * s.in_size();
      T* to = out + image * s.channels * s.points + i % s.points;
      for (int64_t c = 0; c < s.channels; ++c, plane += s.in_size(), to += s.points) {
        T sum = 0;
        for (int k = 0; k < count; ++k) {
          sum += weight[k] * plane[element[k]];
        }
        *to = sum;
      }
    }
  });
}

// Either result may be null. Points of one image add to the same elements, so threads take images.
template <typename T>
void sample_backward(
    const Sampling& s, const T* grad, const T* in, const T* grid, T* grad_in, T* grad_grid) {
  at::parallel_for(0, s.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * s.points; i < end * s.points; ++i) {
      const Axes<T> axes = axes_at(s, grid + i * s.dims);
      const int64_t start = i / s.points * s.channels;
      const T* from = grad + start * s.points + i % s.points;
      std::array<T, 3> slope = {0, 0, 0};
      for_each_tap(s, axes, [&](int64_t at, int x, int y, int z) {
        const T wx = axes[0].weight[x], wy = axes[1].weight[y], wz = axes[2].weight[z];
        T dot = 0;
        for (int64_t c = 0; c < s.channels; ++c) {
          const int64_t place = (start + c) * s.in_size() + at;
          dot += from[c * s.points] * in[place];
          if (grad_in != nullptr) {
            grad_in[place] += from[c * s.points] * wx * wy * wz;
          }
        }
        slope[0] += dot * axes[0].by[x] * wy * wz;
        slope[1] += dot * wx * axes[1].by[y] * wz;
        slope[2] += dot * wx * wy * axes[2].by[z];
      });
      if (grad_grid != nullptr) {
        std::copy_n(slope.begin(), s.dims, grad_grid + i * s.dims);
      }
    }
  });
}

void check_arguments(const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding) {
  TORCH_CHECK(
      input.device() == grid.device(),
      "grid_sampler(): expected input and grid to be on same device, but input is on ",
      input.device(), " and grid is on ", grid.device());
  TORCH_CHECK(
      input.dim() >= 3 && grid.dim() >= 1 && input.size(0) == grid.size(0),
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

Sampling sampling_of(
    const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners,
    int64_t dims) {
  check_arguments(input, grid, mode, padding);
  TORCH_CHECK(
      input.dim() == dims + 2 && grid.dim() == dims + 2, "grid_sampler(): expected ", dims + 2,
      "D input and grid with same number of dimensions, but got input with sizes ", input.sizes(),
      " and grid with sizes ", grid.sizes());
  TORCH_CHECK(
      dims == 2 || mode != static_cast<int64_t>(Mode::Cubic),
      "grid_sampler(): bicubic interpolation only supports 4D input");
  TORCH_CHECK(
      input.scalar_type() == grid.scalar_type(), "expected scalar type ", input.scalar_type(),
      " but found ", grid.scalar_type());
  Sampling s{
      dims,
      input.size(0),
      input.size(1),
      c10::multiply_integers(grid.sizes().slice(1, dims)),
      {1, 1, 1},
      static_cast<Mode>(mode),
      static_cast<Padding>(padding),
      align_corners};
  for (int64_t d = 0; d < dims; ++d) {
    s.in[d] = input.size(input.dim() - 1 - d);
  }
  return s;
}

// The 16-bit floats are computed in float32.
Tensor wide(const Tensor& tensor) {
  const bool low = c10::isReducedFloatingType(tensor.scalar_type());
  return (low ? at::methods::to(tensor, kFloat) : tensor).contiguous();
}

Tensor run(const Sampling& s, const Tensor& input, const Tensor& grid) {
  c10::DimVector sizes = {s.batch, s.channels};
  const IntArrayRef inner = grid.sizes().slice(1, s.dims);
  sizes.append(inner.begin(), inner.end());
  if (input.is_meta()) {
    return at::empty(sizes, input.options());
  }
  const Tensor in = wide(input), points = wide(grid);
  Tensor out = at::empty(sizes, in.options());
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "grid_sampler", [&] {
    sample<scalar_t>(
        s, in.const_data_ptr<scalar_t>(), points.const_data_ptr<scalar_t>(),
        out.mutable_data_ptr<scalar_t>());
  });
  return at::methods::to(out, input.scalar_type());
}

std::tuple<Tensor, Tensor> run_backward(
    const Sampling& s, const Tensor& grad, const Tensor& input, const Tensor& grid,
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
    AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "grid_sampler_backward", [&] {
      sample_backward<scalar_t>(
          s, from.const_data_ptr<scalar_t>(), in.const_data_ptr<scalar_t>(),
          points.const_data_ptr<scalar_t>(),
          wanted[0] ? grad_in.mutable_data_ptr<scalar_t>() : nullptr,
          wanted[1] ? grad_grid.mutable_data_ptr<scalar_t>() : nullptr);
    });
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
  const Sampling s = sampling_of(input, grid, mode, padding, align_corners, 2);
  return run_backward(s, grad, input, grid, output_mask);
}
std::tuple<Tensor, Tensor> grid_sampler_3d_backward(
    const Tensor& grad, const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
    bool align_corners, std::array<bool, 2> output_mask) {
  const Sampling s = sampling_of(input, grid, mode, padding, align_corners, 3);
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
