// The gradient of grid_sample's backward pass.
//
// A point reads, per axis, one (nearest), two (linear) or four (cubic) elements with weights w(x).
// With W a product of weights over the axes, I the element that is read, V the same element of the
// direction v_input, and t = v_grid, the scalar <grad_input, v_input> + <grad_grid, v_grid> is the
// sum over points and elements of  W grad V + sum_d t_d (dW/dx_d) grad I.  Its derivatives by grad,
// input and grid follow; all are made of operators that can be differentiated again.

#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/native/GridSample.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/round.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/select.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <vector>

namespace torch::autograd::generated::details {
namespace {

using at::native::GridMode;
using at::native::GridPadding;

struct Sampling {
  GridMode mode;
  GridPadding padding;
  bool align_corners;
};

// Coordinates in elements, [batch][points], and their derivative by those of the grid.
struct Coordinate {
  Tensor value, by;
};

// One element that each point reads along an axis, [batch][points], and its weight, with the
// weight's first and second derivative by the grid's coordinate.
struct Tap {
  Tensor place, inside, weight, by, by_twice;
};

Coordinate position(const Tensor& at, int64_t size, bool align_corners) {
  const auto n = static_cast<double>(size);
  const double slope = align_corners ? (n - 1) / 2 : n / 2;
  return {align_corners ? (at + 1) * slope : (at + 1) * slope - 0.5, at::zeros_like(at) + slope};
}

Coordinate clipped(const Coordinate& x, int64_t size) {
  const Tensor zero = at::zeros_like(x.value), last = zero + (size - 1);
  const Tensor above = at::gt(x.value, 0), below = at::lt(x.value, last);
  return {
      at::where(above, at::where(below, x.value, last), zero),
      at::where(at::logical_and(above, below), x.by, zero)};
}

// Between the centers of the outer elements or, without align_corners, their outer sides.
Coordinate reflected(const Coordinate& x, int64_t size, bool align_corners) {
  const double low = align_corners ? 0 : -0.5;
  const auto span = static_cast<double>(align_corners ? size - 1 : size);
  if (span == 0) {
    return {at::zeros_like(x.value), at::zeros_like(x.value)};
  }
  const Tensor from = x.value - low, before = at::lt(from, 0), away = at::abs(from);
  const Tensor turns = at::floor(away / span), extra = away - turns * span;
  const Tensor even = at::eq(at::floor(turns / 2) * 2, turns);
  const Tensor by = at::where(before, at::neg(x.by), x.by);
  return {at::where(even, extra, span - extra) + low, at::where(even, by, at::neg(by))};
}

Coordinate inside_image(const Coordinate& x, int64_t size, const Sampling& s) {
  switch (s.padding) {
    case GridPadding::Border:
      return clipped(x, size);
    case GridPadding::Reflection:
      return clipped(reflected(x, size, s.align_corners), size);
    default:
      return x;
  }
}

Tap tap(const Tensor& place, int64_t size, Tensor weight, Tensor by, Tensor by_twice) {
  const Tensor inside = at::logical_and(at::ge(place, 0), at::le(place, size - 1));
  const Tensor readable = at::where(inside, place, at::zeros_like(place));
  return {
      at::methods::to(readable, at::kLong), inside, std::move(weight), std::move(by),
      std::move(by_twice)};
}

// Cubic convolution with a = -0.75, at distances up to 1 and from 1 to 2.
Tap cubic_tap(const Coordinate& x, const Tensor& base, int i, int64_t size, const Sampling& s) {
  constexpr double a = -0.75;
  const Tensor t = x.value - base;
  const Tensor d = i < 2 ? t - (i - 1) : (i - 1) - t;
  const bool far = i == 0 || i == 3;
  const Tensor weight =
      far ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : ((a + 2) * d - (a + 3)) * d * d + 1;
  const Tensor by = far ? (3 * a * d - 10 * a) * d + 8 * a : (3 * (a + 2) * d - 2 * (a + 3)) * d;
  const Tensor by_twice = far ? 6 * a * d - 10 * a : 6 * (a + 2) * d - 2 * (a + 3);
  const Tensor slope = i < 2 ? x.by : at::neg(x.by);
  const Coordinate place = inside_image({base + (i - 1), at::zeros_like(base)}, size, s);
  return tap(at::round(place.value), size, weight, by * slope, by_twice * slope * slope);
}

std::vector<Tap> taps_of(const Tensor& coordinates, int64_t size, const Sampling& s) {
  Coordinate x = position(coordinates, size, s.align_corners);
  std::vector<Tap> taps;
  taps.reserve(4);
  if (s.mode == GridMode::Cubic) {
    const Tensor base = at::floor(x.value);
    for (int i = 0; i < 4; ++i) {
      taps.push_back(cubic_tap(x, base, i, size, s));
    }
    return taps;
  }
  x = inside_image(x, size, s);
  const Tensor zero = at::zeros_like(x.value);
  if (s.mode == GridMode::Nearest) {
    taps.push_back(tap(at::round(x.value), size, zero + 1, zero, zero));
  } else {
    const Tensor base = at::floor(x.value), t = x.value - base;
    taps.push_back(tap(base, size, 1 - t, at::neg(x.by), zero));
    taps.push_back(tap(base + 1, size, t, x.by, zero));
  }
  return taps;
}

// The product over all axes of the weights, or of the derivatives by the axes `d` and `e`.
Tensor weights(const std::vector<const Tap*>& taps, int d = -1, int e = -1) {
  Tensor product;
  for (int i = 0; i < static_cast<int>(taps.size()); ++i) {
    const int times = (i == d) + (i == e);
    const Tensor& factor = times == 0 ? taps[i]->weight
        : times == 1                  ? taps[i]->by
                                      : taps[i]->by_twice;
    product = product.defined() ? product * factor : factor;
  }
  return product;
}

Tensor sum_of(const Tensor& a, const Tensor& b) {
  return !a.defined() ? b : !b.defined() ? a : a + b;
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> grid_sampler_double_backward(
    const Tensor& v_input, const Tensor& v_grid, const Tensor& grad, const Tensor& input,
    const Tensor& grid, int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
  if (!v_input.defined() && !v_grid.defined()) {
    return {};
  }
  const Sampling s{
      static_cast<GridMode>(interpolation_mode), static_cast<GridPadding>(padding_mode),
      align_corners};
  const auto dims = static_cast<int>(input.dim() - 2);
  const int64_t batch = input.size(0), channels = input.size(1);
  const Tensor image = at::flatten(input, 2), g = at::flatten(grad, 2);
  const Tensor direction = v_input.defined() ? at::flatten(v_input, 2) : Tensor();
  const Tensor points = at::reshape(grid, {batch, g.size(2), dims});
  const Tensor t =
      v_grid.defined() ? at::reshape(v_grid, {batch, g.size(2), dims}) : at::zeros_like(points);

  std::vector<std::vector<Tap>> axes;
  axes.reserve(dims);
  for (int d = 0; d < dims; ++d) {
    axes.push_back(taps_of(at::select(points, 2, d), input.size(-1 - d), s));
  }
  const auto count = axes[0].size();
  size_t combinations = 1;
  for (int d = 0; d < dims; ++d) {
    combinations *= count;
  }

  Tensor of_grad = at::zeros_like(g), of_input = at::zeros_like(image);
  std::vector<Tensor> of_points(dims);
  for (size_t combination = 0; combination < combinations; ++combination) {
    std::vector<const Tap*> taps;
    taps.reserve(dims);
    Tensor place, inside;
    int64_t stride = 1;
    size_t rest = combination;
    for (int d = 0; d < dims; ++d, rest /= count) {
      const Tap& at = axes[d][rest % count];
      taps.push_back(&at);
      place = sum_of(place, at.place * stride);
      inside = inside.defined() ? at::logical_and(inside, at.inside) : at.inside;
      stride *= input.size(-1 - d);
    }
    const Tensor index = at::methods::expand(at::unsqueeze(place, 1), {batch, channels, g.size(2)});
    const Tensor mask = at::methods::to(at::unsqueeze(inside, 1), g.scalar_type());
    const Tensor element = at::gather(image, 2, index) * mask;
    const Tensor along_image = at::sum(g * element, 1);
    Tensor slope; // how the weight changes along v_grid
    for (int d = 0; d < dims; ++d) {
      slope = sum_of(slope, at::select(t, 2, d) * weights(taps, d));
      for (int e = 0; e < dims; ++e) {
        of_points[e] =
            sum_of(of_points[e], at::select(t, 2, d) * weights(taps, d, e) * along_image);
      }
    }
    slope = at::unsqueeze(slope, 1);
    of_grad = of_grad + slope * element;
    of_input = at::scatter_add(of_input, 2, index, slope * mask * g);
    if (direction.defined()) {
      const Tensor moved = at::gather(direction, 2, index) * mask;
      const Tensor along_direction = at::sum(g * moved, 1);
      of_grad = of_grad + at::unsqueeze(weights(taps), 1) * moved;
      for (int e = 0; e < dims; ++e) {
        of_points[e] = sum_of(of_points[e], weights(taps, e) * along_direction);
      }
    }
  }
  return {
      at::reshape(of_grad, grad.sizes()), at::reshape(of_input, input.sizes()),
      at::reshape(at::stack(of_points, 2), grid.sizes())};
}

} // namespace torch::autograd::generated::details
