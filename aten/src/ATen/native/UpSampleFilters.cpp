// Interpolation by filters along each axis: nearest neighbours and trilinear for volumes, cubic and
// antialiased filters for images.

#include <ATen/native/UpSample.h>
#include <ATen/native/WeightedAxis.h>

#include <ATen/Dispatch.h>
#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/_upsample_bicubic2d_aa_backward_native.h>
#include <ATen/ops/_upsample_bicubic2d_aa_native.h>
#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <ATen/ops/_upsample_bilinear2d_aa_backward_native.h>
#include <ATen/ops/_upsample_bilinear2d_aa_native.h>
#include <ATen/ops/_upsample_lanczos2d_aa.h>
#include <ATen/ops/_upsample_lanczos2d_aa_backward_native.h>
#include <ATen/ops/_upsample_lanczos2d_aa_native.h>
#include <ATen/ops/_upsample_nearest_exact3d.h>
#include <ATen/ops/_upsample_nearest_exact3d_backward_native.h>
#include <ATen/ops/_upsample_nearest_exact3d_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/upsample_bicubic2d.h>
#include <ATen/ops/upsample_bicubic2d_backward_native.h>
#include <ATen/ops/upsample_bicubic2d_native.h>
#include <ATen/ops/upsample_nearest3d.h>
#include <ATen/ops/upsample_nearest3d_backward_native.h>
#include <ATen/ops/upsample_nearest3d_native.h>
#include <ATen/ops/upsample_trilinear3d.h>
#include <ATen/ops/upsample_trilinear3d_backward_native.h>
#include <ATen/ops/upsample_trilinear3d_native.h>

namespace at::native {
namespace {

using Factor = std::optional<double>;
using Factors = std::vector<Factor>;
using Scales = std::optional<ArrayRef<double>>;

void check_dtype(Filter filter, const Tensor& tensor, bool forward) {
  const ScalarType dtype = tensor.scalar_type();
  const bool bytes = forward && dtype == kByte && filter != Filter::Linear;
  const bool smooth = filter >= Filter::SmoothLinear;
  const bool floats = smooth ? dtype == kFloat || dtype == kDouble : tensor.is_floating_point();
  if (!bytes && !floats) {
    at::detail::dispatch_unsupported("compute_index_ranges_weights", dtype);
  }
}

std::vector<WeightedAxis> axes_of(
    Filter filter, IntArrayRef in, IntArrayRef out, bool align_corners, const Factors& factors,
    ScalarType dtype) {
  std::vector<WeightedAxis> axes;
  for (size_t d = 0; d < out.size(); ++d) {
    axes.push_back(filter_axis(filter, in[d + 2], out[d], factors[d], align_corners, dtype));
  }
  return axes;
}

bool copies(Filter filter) {
  return filter == Filter::Nearest || filter == Filter::NearestExact;
}

// The maps of a nearest-neighbour interpolation over three dimensions.
std::vector<AxisMap> nearest_axes(
    Filter filter, IntArrayRef in, IntArrayRef out, const Factors& factors) {
  std::vector<AxisMap> axes;
  for (size_t d = 0; d < out.size(); ++d) {
    axes.push_back(nearest_axis(in[d + 2], out[d], factors[d], filter == Filter::NearestExact));
  }
  return axes;
}

Tensor forward(
    Filter filter, const Tensor& self, IntArrayRef size, bool align_corners,
    const Factors& factors) {
  const auto dims = static_cast<int64_t>(factors.size());
  const c10::DimVector sizes = upsample_sizes(self.sizes(), size, dims);
  const MemoryFormat format = self.suggest_memory_format();
  if (self.is_meta() || self.numel() == 0) {
    return at::empty(sizes, self.options(), format);
  }
  check_dtype(filter, self, /*forward=*/true);
  if (copies(filter) && self.is_cpu()) {
    const Tensor result = at::empty(sizes, self.options());
    const auto axes = nearest_axes(filter, self.sizes(), size, factors);
    resample(self, result, axes[1], axes[2], axes[0]);
    return result.contiguous(format);
  }
  const ScalarType dtype = self.scalar_type();
  if (dtype == kByte && self.is_cpu()) {
    const Tensor result = at::empty(sizes, self.options(), format);
    const auto axes = axes_of(filter, self.sizes(), size, align_corners, factors, kDouble);
    interpolate_bytes(self, result, axes[0], axes[1]);
    return result;
  }
  return interpolate(self, axes_of(filter, self.sizes(), size, align_corners, factors, dtype))
      .contiguous(format);
}

Tensor backward(
    Filter filter, const Tensor& grad, IntArrayRef size, IntArrayRef input, bool align_corners,
    const Factors& factors) {
  const auto dims = static_cast<int64_t>(factors.size());
  const c10::DimVector sizes = upsample_backward_sizes(grad, size, input, dims);
  const MemoryFormat format = grad.suggest_memory_format();
  if (grad.is_meta() || grad.numel() == 0) {
    return at::empty(sizes, grad.options(), format);
  }
  check_dtype(filter, grad, /*forward=*/false);
  if (copies(filter) && grad.is_cpu()) {
    const Tensor result = at::empty(sizes, grad.options());
    const auto axes = nearest_axes(filter, input, size, factors);
    resample_backward(grad, result, axes[1], axes[2], axes[0]);
    return result.contiguous(format);
  }
  auto axes = axes_of(filter, input, size, align_corners, factors, grad.scalar_type());
  for (size_t d = 0; d < axes.size(); ++d) {
    axes[d] = transposed(axes[d], input[d + 2]);
  }
  return interpolate(grad, axes).contiguous(format);
}

} // namespace

Tensor upsample_nearest3d(const Tensor& self, IntArrayRef size, Factor d, Factor h, Factor w) {
  return forward(Filter::Nearest, self, size, false, {d, h, w});
}

Tensor upsample_nearest3d_backward(
    const Tensor& grad, IntArrayRef size, IntArrayRef input, Factor d, Factor h, Factor w) {
  return backward(Filter::Nearest, grad, size, input, false, {d, h, w});
}

Tensor upsample_nearest3d(const Tensor& input, OptionalIntArrayRef size, Scales scales) {
  return at::upsample_nearest3d(
      input, upsample_output_sizes(input.sizes(), size, scales), scale_at(scales, 0),
      scale_at(scales, 1), scale_at(scales, 2));
}

Tensor _upsample_nearest_exact3d(
    const Tensor& self, IntArrayRef size, Factor d, Factor h, Factor w) {
  return forward(Filter::NearestExact, self, size, false, {d, h, w});
}

Tensor _upsample_nearest_exact3d_backward(
    const Tensor& grad, IntArrayRef size, IntArrayRef input, Factor d, Factor h, Factor w) {
  return backward(Filter::NearestExact, grad, size, input, false, {d, h, w});
}

Tensor _upsample_nearest_exact3d(const Tensor& input, OptionalIntArrayRef size, Scales scales) {
  return at::_upsample_nearest_exact3d(
      input, upsample_output_sizes(input.sizes(), size, scales), scale_at(scales, 0),
      scale_at(scales, 1), scale_at(scales, 2));
}

Tensor upsample_trilinear3d(
    const Tensor& self, IntArrayRef size, bool align_corners, Factor d, Factor h, Factor w) {
  return forward(Filter::Linear, self, size, align_corners, {d, h, w});
}

Tensor upsample_trilinear3d_backward(
    const Tensor& grad, IntArrayRef size, IntArrayRef input, bool align_corners, Factor d, Factor h,
    Factor w) {
  return backward(Filter::Linear, grad, size, input, align_corners, {d, h, w});
}

Tensor upsample_trilinear3d(
    const Tensor& input, OptionalIntArrayRef size, bool align_corners, Scales scales) {
  return at::upsample_trilinear3d(
      input, upsample_output_sizes(input.sizes(), size, scales), align_corners, scale_at(scales, 0),
      scale_at(scales, 1), scale_at(scales, 2));
}

Tensor upsample_bicubic2d(
    const Tensor& self, IntArrayRef size, bool align_corners, Factor h, Factor w) {
  return forward(Filter::Cubic, self, size, align_corners, {h, w});
}

Tensor upsample_bicubic2d_backward(
    const Tensor& grad, IntArrayRef size, IntArrayRef input, bool align_corners, Factor h,
    Factor w) {
  return backward(Filter::Cubic, grad, size, input, align_corners, {h, w});
}

Tensor upsample_bicubic2d(
    const Tensor& input, OptionalIntArrayRef size, bool align_corners, Scales scales) {
  return at::upsample_bicubic2d(
      input, upsample_output_sizes(input.sizes(), size, scales), align_corners, scale_at(scales, 0),
      scale_at(scales, 1));
}

Tensor _upsample_bilinear2d_aa(
    const Tensor& self, IntArrayRef size, bool align_corners, Factor h, Factor w) {
  return forward(Filter::SmoothLinear, self, size, align_corners, {h, w});
}

Tensor _upsample_bilinear2d_aa_backward(
    const Tensor& grad, IntArrayRef size, IntArrayRef input, bool align_corners, Factor h,
    Factor w) {
  return backward(Filter::SmoothLinear, grad, size, input, align_corners, {h, w});
}

Tensor _upsample_bilinear2d_aa(
    const Tensor& input, OptionalIntArrayRef size, bool align_corners, Scales scales) {
  return at::_upsample_bilinear2d_aa(
      input, upsample_output_sizes(input.sizes(), size, scales), align_corners, scale_at(scales, 0),
      scale_at(scales, 1));
}

Tensor _upsample_bicubic2d_aa(
    const Tensor& self, IntArrayRef size, bool align_corners, Factor h, Factor w) {
  return forward(Filter::SmoothCubic, self, size, align_corners, {h, w});
}

Tensor _upsample_bicubic2d_aa_backward(
    const Tensor& grad, IntArrayRef size, IntArrayRef input, bool align_corners, Factor h,
    Factor w) {
  return backward(Filter::SmoothCubic, grad, size, input, align_corners, {h, w});
}

Tensor _upsample_bicubic2d_aa(
    const Tensor& input, OptionalIntArrayRef size, bool align_corners, Scales scales) {
  return at::_upsample_bicubic2d_aa(
      input, upsample_output_sizes(input.sizes(), size, scales), align_corners, scale_at(scales, 0),
      scale_at(scales, 1));
}

Tensor _upsample_lanczos2d_aa(
    const Tensor& self, IntArrayRef size, bool align_corners, Factor h, Factor w) {
  return forward(Filter::Lanczos, self, size, align_corners, {h, w});
}

Tensor _upsample_lanczos2d_aa_backward(
    const Tensor& grad, IntArrayRef size, IntArrayRef input, bool align_corners, Factor h,
    Factor w) {
  return backward(Filter::Lanczos, grad, size, input, align_corners, {h, w});
}

Tensor _upsample_lanczos2d_aa(
    const Tensor& input, OptionalIntArrayRef size, bool align_corners, Scales scales) {
  return at::_upsample_lanczos2d_aa(
      input, upsample_output_sizes(input.sizes(), size, scales), align_corners, scale_at(scales, 0),
      scale_at(scales, 1));
}

} // namespace at::native
