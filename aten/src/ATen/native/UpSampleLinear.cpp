#include <ATen/native/UpSample.h>
#include <ATen/native/WeightedAxis.h>

#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_bilinear2d_backward_native.h>
#include <ATen/ops/upsample_bilinear2d_native.h>
#include <ATen/ops/upsample_linear1d.h>
#include <ATen/ops/upsample_linear1d_backward_native.h>
#include <ATen/ops/upsample_linear1d_native.h>

namespace at::meta {

TORCH_META_FUNC(upsample_linear1d)
(const Tensor& self, IntArrayRef output_size, bool, std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_sizes(self.sizes(), output_size, 1), {}, self.options());
}
TORCH_META_FUNC(upsample_bilinear2d)
(const Tensor& self, IntArrayRef output_size, bool, std::optional<double>, std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_sizes(self.sizes(), output_size, 2), {},
      self.options().memory_format(self.suggest_memory_format()));
}
TORCH_META_FUNC(upsample_linear1d_backward)
(const Tensor& grad, IntArrayRef output_size, IntArrayRef input_size, bool, std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_backward_sizes(grad, output_size, input_size, 1), {}, grad.options());
}
TORCH_META_FUNC(upsample_bilinear2d_backward)
(const Tensor& grad, IntArrayRef output_size, IntArrayRef input_size, bool, std::optional<double>,
 std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_backward_sizes(grad, output_size, input_size, 2), {},
      grad.options().memory_format(grad.suggest_memory_format()));
}

} // namespace at::meta

namespace at::native {

namespace {

void check_dtype(const Tensor& tensor, bool bytes) {
  const ScalarType dtype = tensor.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(
      at::isFloatingType(dtype) || (bytes && dtype == kByte),
      "\"compute_index_ranges_weights\" not implemented for '", dtype, "'");
}

} // namespace

TORCH_IMPL_FUNC(upsample_linear1d_out_cpu)
(const Tensor& self, IntArrayRef size, bool align_corners, std::optional<double> scale,
 const Tensor& out) {
  check_dtype(self, /*bytes=*/true);
  resample(
      self, out, {}, linear_axis(self.size(2), size[0], scale, align_corners, self.scalar_type()));
}

TORCH_IMPL_FUNC(upsample_bilinear2d_out_cpu)
(const Tensor& self, IntArrayRef size, bool align_corners, std::optional<double> scale_h,
 std::optional<double> scale_w, const Tensor& out) {
  check_dtype(self, /*bytes=*/true);
  const ScalarType dtype = self.scalar_type();
  if (dtype == kByte && self.is_cpu()) {
    const auto axis = [&](size_t d, std::optional<double> scale) {
      return filter_axis(
          Filter::Linear, self.size(static_cast<int64_t>(d) + 2), size[d], scale, align_corners,
          kDouble);
    };
    interpolate_bytes(self, out, axis(0, scale_h), axis(1, scale_w));
    return;
  }
  resample(
      self, out, linear_axis(self.size(2), size[0], scale_h, align_corners, dtype),
      linear_axis(self.size(3), size[1], scale_w, align_corners, dtype));
}

TORCH_IMPL_FUNC(upsample_linear1d_backward_out_cpu)
(const Tensor& grad, IntArrayRef size, IntArrayRef input, bool align_corners,
 std::optional<double> scale, const Tensor& grad_in) {
  check_dtype(grad, /*bytes=*/false);
  resample_backward(
      grad, grad_in, {}, linear_axis(input[2], size[0], scale, align_corners, grad.scalar_type()));
}

TORCH_IMPL_FUNC(upsample_bilinear2d_backward_out_cpu)
(const Tensor& grad, IntArrayRef size, IntArrayRef input, bool align_corners,
 std::optional<double> scale_h, std::optional<double> scale_w, const Tensor& grad_in) {
  check_dtype(grad, /*bytes=*/false);
  const ScalarType dtype = grad.scalar_type();
  resample_backward(
      grad, grad_in, linear_axis(input[2], size[0], scale_h, align_corners, dtype),
      linear_axis(input[3], size[1], scale_w, align_corners, dtype));
}

Tensor upsample_linear1d(
    const Tensor& input, OptionalIntArrayRef size, bool align_corners,
    std::optional<ArrayRef<double>> scales) {
  return at::upsample_linear1d(
      input, upsample_output_sizes(input.sizes(), size, scales), align_corners,
      scale_at(scales, 0));
}

Tensor upsample_bilinear2d(
    const Tensor& input, OptionalIntArrayRef size, bool align_corners,
    std::optional<ArrayRef<double>> scales) {
  return at::upsample_bilinear2d(
      input, upsample_output_sizes(input.sizes(), size, scales), align_corners, scale_at(scales, 0),
      scale_at(scales, 1));
}

} // namespace at::native
