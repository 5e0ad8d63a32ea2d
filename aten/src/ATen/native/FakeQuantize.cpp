// Fake quantization: rounding to the values that quantized integers stand for, in floating point.
// All forms are composed of point-wise operators; parameters are tensors that broadcast to the
// input.
//
// An integer q between `low` and `high` stands for the value (q - zero_point) * scale.

#include <ATen/core/Tensor.h>

#include <ATen/ops/_fake_quantize_learnable_per_channel_affine_backward_native.h>
#include <ATen/ops/_fake_quantize_learnable_per_channel_affine_native.h>
#include <ATen/ops/_fake_quantize_learnable_per_tensor_affine_backward_native.h>
#include <ATen/ops/_fake_quantize_learnable_per_tensor_affine_native.h>
#include <ATen/ops/_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.h>
#include <ATen/ops/_fake_quantize_per_tensor_affine_cachemask_tensor_qparams_native.h>
#include <ATen/ops/add.h>
#include <ATen/ops/all.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/fake_quantize_per_channel_affine_cachemask.h>
#include <ATen/ops/fake_quantize_per_channel_affine_cachemask_backward_native.h>
#include <ATen/ops/fake_quantize_per_channel_affine_cachemask_native.h>
#include <ATen/ops/fake_quantize_per_channel_affine_native.h>
#include <ATen/ops/fake_quantize_per_tensor_affine_cachemask.h>
#include <ATen/ops/fake_quantize_per_tensor_affine_cachemask_backward_native.h>
#include <ATen/ops/fake_quantize_per_tensor_affine_cachemask_native.h>
#include <ATen/ops/fake_quantize_per_tensor_affine_native.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/item.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/round.h>
#include <ATen/ops/select.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>

#include <limits>
#include <tuple>
#include <vector>

namespace at::native {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct QuantizationGrid {
  Tensor scale; // float, broadcasts to the input
  Tensor zero_point;
  int64_t low;
  int64_t high;
};

struct GridPositions {
  Tensor input; // in the type in which the operator computes
  Tensor exact; // rounded to the grid, not limited to its range
  Tensor limited;

  Tensor inside() const { return at::eq(exact, limited); }
  // In the precision of PyTorch, also where the input has another: float with one scale, else
  // double.
  Tensor values(const QuantizationGrid& grid) const {
    const bool points_are_integers = !c10::isFloatingType(grid.zero_point.scalar_type());
    const bool float_is_exact = points_are_integers && limited.scalar_type() == kFloat;
    const ScalarType precision = grid.scale.dim() == 0 || float_is_exact ? kFloat : kDouble;
    const Tensor differences = at::sub(at::methods::to(limited, precision), grid.zero_point);
    return at::mul(differences, grid.scale);
  }
};

GridPositions round_to_grid(const Tensor& self, const QuantizationGrid& grid) {
  const Tensor input = at::methods::to(
      self, c10::isHalfFloatingType(self.scalar_type()) ? kFloat : self.scalar_type());
  const Tensor scaled = at::mul(input, at::reciprocal(grid.scale));
  const Tensor rounded = c10::isFloatingType(grid.zero_point.scalar_type())
      ? at::round(at::add(scaled, grid.zero_point))
      : at::add(at::round(scaled), grid.zero_point);
  // NaN becomes the lowest integer, as in PyTorch.
  const Tensor exact = at::nan_to_num(rounded, -kInfinity, kInfinity, -kInfinity);
  return {input, exact, at::clamp(exact, grid.low, grid.high)};
}

std::tuple<Tensor, Tensor> fake_quantize(const Tensor& self, const QuantizationGrid& grid) {
  const GridPositions positions = round_to_grid(self, grid);
  return {at::methods::to(positions.values(grid), self.scalar_type()), positions.inside()};
}

void check_floating(const Tensor& self) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::isFloatingType(self.scalar_type()) && !c10::isFloat8Type(self.scalar_type()),
      "fake quantization is not implemented for '", c10::toString(self.scalar_type()), "'");
}

void check_learnable_gradient(const Tensor& grad, const Tensor& self) {
  const ScalarType dtype = self.scalar_type();
  TORCH_CHECK(
      (dtype == kFloat || dtype == kBFloat16) && grad.scalar_type() == dtype,
      "expected a gradient and an input of dtype float or bfloat16, got ", grad.scalar_type(),
      " and ", dtype);
}

void check_range(int64_t quant_min, int64_t quant_max) {
  TORCH_CHECK(quant_min <= quant_max, "`quant_min` should be less than or equal to `quant_max`.");
}

Tensor number_like(const Tensor& self, const Scalar& value, ScalarType dtype) {
  return at::full({}, value, self.options().dtype(dtype));
}

// The first element, as a tensor without dimensions.
Tensor first_of(const Tensor& parameter) {
  return at::select(parameter, 0, 0);
}

Tensor masked_gradient(const Tensor& grad, const Tensor& mask) {
  TORCH_CHECK(
      mask.scalar_type() == kBool, "expected a mask of dtype bool, got ", mask.scalar_type());
  TORCH_CHECK(
      mask.sizes() == grad.sizes(), "the mask and the gradient must have the same size, got ",
      mask.sizes(), " and ", grad.sizes());
  return at::mul(grad, mask);
}

Tensor along_axis(const Tensor& parameter, const Tensor& self, int64_t axis) {
  std::vector<int64_t> shape(static_cast<size_t>(self.dim()), 1);
  shape[static_cast<size_t>(axis)] = parameter.numel();
  return at::reshape(parameter, shape);
}

void check_channels(
    const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis) {
  TORCH_CHECK(scale.dim() == 1, "scale should be a 1-D tensor");
  TORCH_CHECK(zero_point.dim() == 1, "zero point should be a 1-D tensor");
  TORCH_CHECK(
      scale.numel() == zero_point.numel(), "scale and zero-point need to have the same dimensions");
  TORCH_CHECK(
      scale.numel() == self.size(axis),
      "dimensions of scale and zero-point are not consistent with input tensor");
  TORCH_CHECK(axis >= 0, "`axis` must be between 0 and number of dimensions of input");
}

void check_zero_points(const Tensor& zero_point, int64_t quant_min, int64_t quant_max) {
  if (c10::isFloatingType(zero_point.scalar_type()) || zero_point.is_meta()) {
    return;
  }
  const Tensor inside =
      at::logical_and(at::ge(zero_point, quant_min), at::le(zero_point, quant_max));
  TORCH_CHECK(
      at::methods::item(at::all(inside)).toBool(),
      "`zero_point` must be between `quant_min` and `quant_max`.");
}

// Learned zero points are numbers; the nearest integer of the range counts.
Tensor nearest_integer(const Tensor& zero_point, int64_t quant_min, int64_t quant_max) {
  return at::methods::to(at::clamp(at::round(zero_point), quant_min, quant_max), kLong);
}

QuantizationGrid learned_tensor_grid(
    const Tensor& scale, const Tensor& zero_point, int64_t quant_min, int64_t quant_max) {
  return {
      at::methods::to(first_of(scale), kFloat),
      nearest_integer(first_of(zero_point), quant_min, quant_max), quant_min, quant_max};
}

QuantizationGrid learned_channel_grid(
    const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis,
    int64_t quant_min, int64_t quant_max) {
  const Tensor points = nearest_integer(zero_point, quant_min, quant_max);
  return {along_axis(scale, self, axis), along_axis(points, self, axis), quant_min, quant_max};
}

// The gradients of each element for the input, the scale and the zero point (Learned Step Size
// Quantization, Esser et al. 2020). With x = (limited - zero_point) * scale:
// inside the range dx/dscale = (x - input) / scale and dx/dzero_point = 0; outside,
// dx/dscale = limited - zero_point and dx/dzero_point = -scale.
std::tuple<Tensor, Tensor, Tensor> learnable_gradients(
    const Tensor& grad, const Tensor& self, const QuantizationGrid& grid, double grad_factor) {
  const GridPositions positions = round_to_grid(self, grid);
  const Tensor inside = positions.inside();
  const Tensor error =
      at::mul(at::sub(positions.values(grid), positions.input), at::reciprocal(grid.scale));
  const Tensor slope = at::where(inside, error, at::sub(positions.limited, grid.zero_point));
  const Tensor wide = at::methods::to(grad, kFloat);
  const Tensor weighted = at::mul(wide, grad_factor);
  return {
      at::mul(wide, inside), at::mul(weighted, slope),
      at::where(inside, number_like(self, 0, kFloat), at::mul(weighted, at::neg(grid.scale)))};
}

std::vector<int64_t> dims_except(const Tensor& self, int64_t axis) {
  std::vector<int64_t> dims;
  for (int64_t dim = 0; dim < self.dim(); ++dim) {
    if (dim != axis) {
      dims.push_back(dim);
    }
  }
  return dims;
}

Tensor sum_to_channels(const Tensor& grad, int64_t axis) {
  const std::vector<int64_t> dims = dims_except(grad, axis);
  return dims.empty() ? grad : at::sum(grad, dims);
}

} // namespace

Tensor fake_quantize_per_tensor_affine(
    const Tensor& self, double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max) {
  return std::get<0>(
      at::fake_quantize_per_tensor_affine_cachemask(self, scale, zero_point, quant_min, quant_max));
}

Tensor fake_quantize_per_tensor_affine(
    const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t quant_min,
    int64_t quant_max) {
  return std::get<0>(at::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
      self, scale, zero_point, at::ones({1}, self.options().dtype(kLong)), quant_min, quant_max));
}

std::tuple<Tensor, Tensor> fake_quantize_per_tensor_affine_cachemask(
    const Tensor& self, double scale, int64_t zero_point, int64_t quant_min, int64_t quant_max) {
  check_floating(self);
  check_range(quant_min, quant_max);
  TORCH_CHECK(
      zero_point >= quant_min && zero_point <= quant_max,
      "`zero_point` must be between `quant_min` and `quant_max`.");
  return fake_quantize(
      self,
      {number_like(self, scale, kFloat), number_like(self, zero_point, kLong), quant_min,
       quant_max});
}

std::tuple<Tensor, Tensor> _fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
    const Tensor& self, const Tensor& scale, const Tensor& zero_point,
    const Tensor& fake_quant_enabled, int64_t quant_min, int64_t quant_max) {
  check_floating(self);
  check_range(quant_min, quant_max);
  const auto single = [](const Tensor& t) { return first_of(at::reshape(t, {-1})); };
  const auto [output, mask] =
      fake_quantize(self, {single(scale), single(zero_point), quant_min, quant_max});
  const Tensor enabled = at::ne(single(fake_quant_enabled), 0);
  return {at::where(enabled, output, self), at::logical_or(mask, at::logical_not(enabled))};
}

Tensor fake_quantize_per_tensor_affine_cachemask_backward(const Tensor& grad, const Tensor& mask) {
  return masked_gradient(grad, mask);
}

Tensor fake_quantize_per_channel_affine(
    const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis,
    int64_t quant_min, int64_t quant_max) {
  return std::get<0>(at::fake_quantize_per_channel_affine_cachemask(
      self, scale, zero_point, axis, quant_min, quant_max));
}

std::tuple<Tensor, Tensor> fake_quantize_per_channel_affine_cachemask(
    const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis,
    int64_t quant_min, int64_t quant_max) {
  check_floating(self);
  TORCH_CHECK(
      scale.scalar_type() == kFloat || scale.scalar_type() == kBFloat16,
      "Scale must be Float or BFloat16, found ", scale.scalar_type());
  const ScalarType points = zero_point.scalar_type();
  TORCH_CHECK(
      points == kInt || points == kFloat || points == kHalf,
      "Zero-point must be Int32, Float or Half, found ", points);
  check_channels(self, scale, zero_point, axis);
  check_range(quant_min, quant_max);
  check_zero_points(zero_point, quant_min, quant_max);
  return fake_quantize(
      self,
      {along_axis(scale, self, axis), along_axis(zero_point, self, axis), quant_min, quant_max});
}

Tensor fake_quantize_per_channel_affine_cachemask_backward(const Tensor& grad, const Tensor& mask) {
  return masked_gradient(grad, mask);
}

Tensor _fake_quantize_learnable_per_tensor_affine(
    const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t quant_min,
    int64_t quant_max, double) {
  check_floating(self);
  check_range(quant_min, quant_max);
  return std::get<0>(
      fake_quantize(self, learned_tensor_grid(scale, zero_point, quant_min, quant_max)));
}

std::tuple<Tensor, Tensor, Tensor> _fake_quantize_learnable_per_tensor_affine_backward(
    const Tensor& grad, const Tensor& self, const Tensor& scale, const Tensor& zero_point,
    int64_t quant_min, int64_t quant_max, double grad_factor) {
  check_learnable_gradient(grad, self);
  check_range(quant_min, quant_max);
  const auto [input, of_scale, of_zero_point] = learnable_gradients(
      grad, self, learned_tensor_grid(scale, zero_point, quant_min, quant_max), grad_factor);
  return {input, at::unsqueeze(at::sum(of_scale), 0), at::unsqueeze(at::sum(of_zero_point), 0)};
}

Tensor _fake_quantize_learnable_per_channel_affine(
    const Tensor& self, const Tensor& scale, const Tensor& zero_point, int64_t axis,
    int64_t quant_min, int64_t quant_max, double) {
  check_floating(self);
  check_range(quant_min, quant_max);
  check_channels(self, scale, zero_point, axis);
  return std::get<0>(fake_quantize(
      self, learned_channel_grid(self, scale, zero_point, axis, quant_min, quant_max)));
}

std::tuple<Tensor, Tensor, Tensor> _fake_quantize_learnable_per_channel_affine_backward(
    const Tensor& grad, const Tensor& self, const Tensor& scale, const Tensor& zero_point,
    int64_t axis, int64_t quant_min, int64_t quant_max, double grad_factor) {
  check_learnable_gradient(grad, self);
  check_range(quant_min, quant_max);
  check_channels(self, scale, zero_point, axis);
  const auto [input, of_scale, of_zero_point] = learnable_gradients(
      grad, self, learned_channel_grid(self, scale, zero_point, axis, quant_min, quant_max),
      grad_factor);
  return {input, sum_to_channels(of_scale, axis), sum_to_channels(of_zero_point, axis)};
}

} // namespace at::native
