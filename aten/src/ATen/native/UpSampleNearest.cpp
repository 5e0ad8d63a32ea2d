#include <ATen/native/UpSample.h>

#include <ATen/ops/_upsample_nearest_exact1d.h>
#include <ATen/ops/_upsample_nearest_exact1d_backward_native.h>
#include <ATen/ops/_upsample_nearest_exact1d_native.h>
#include <ATen/ops/_upsample_nearest_exact2d.h>
#include <ATen/ops/_upsample_nearest_exact2d_backward_native.h>
#include <ATen/ops/_upsample_nearest_exact2d_native.h>
#include <ATen/ops/upsample_nearest1d.h>
#include <ATen/ops/upsample_nearest1d_backward_native.h>
#include <ATen/ops/upsample_nearest1d_native.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <ATen/ops/upsample_nearest2d_backward_native.h>
#include <ATen/ops/upsample_nearest2d_native.h>

namespace at::meta {

// Outputs keep the memory format of the tensor they are computed from.
TORCH_META_FUNC(upsample_nearest1d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_sizes(self.sizes(), output_size, 1), {}, self.options());
}
TORCH_META_FUNC(_upsample_nearest_exact1d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_sizes(self.sizes(), output_size, 1), {}, self.options());
}
TORCH_META_FUNC(upsample_nearest2d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>, std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_sizes(self.sizes(), output_size, 2), {},
      self.options().memory_format(self.suggest_memory_format()));
}
TORCH_META_FUNC(_upsample_nearest_exact2d)
(const Tensor& self, IntArrayRef output_size, std::optional<double>, std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_sizes(self.sizes(), output_size, 2), {},
      self.options().memory_format(self.suggest_memory_format()));
}

TORCH_META_FUNC(upsample_nearest1d_backward)
(const Tensor& grad, IntArrayRef output_size, IntArrayRef input_size, std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_backward_sizes(grad, output_size, input_size, 1), {}, grad.options());
}
TORCH_META_FUNC(_upsample_nearest_exact1d_backward)
(const Tensor& grad, IntArrayRef output_size, IntArrayRef input_size, std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_backward_sizes(grad, output_size, input_size, 1), {}, grad.options());
}
TORCH_META_FUNC(upsample_nearest2d_backward)
(const Tensor& grad, IntArrayRef output_size, IntArrayRef input_size, std::optional<double>,
 std::optional<double>) {
  set_output_raw_strided(
      0, native::upsample_backward_sizes(grad, output_size, input_size, 2), {},
      grad.options().memory_format(grad.suggest_memory_format()));
}
TORCH_META_FUNC(_upsample_nearest_exact2d_backward)
(const Tensor& grad, IntArrayRef output_size, IntArrayRef input_size, std::optional<double>,
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

struct Axis {
  int64_t in, out;
  std::optional<double> factor;

  AxisMap map(bool exact) const { return nearest_axis(in, out, factor, exact); }
};

void forward(
    const Tensor& self, const Tensor& out, const std::optional<Axis>& rows, const Axis& columns,
    bool exact) {
  check_dtype(self, /*bytes=*/true);
  resample(
      self, out, rows.has_value() ? std::optional(rows->map(exact)) : std::nullopt,
      columns.map(exact));
}

void backward(
    const Tensor& grad, const Tensor& grad_in, const std::optional<Axis>& rows, const Axis& columns,
    bool exact) {
  check_dtype(grad, /*bytes=*/false);
  resample_backward(
      grad, grad_in, rows.has_value() ? std::optional(rows->map(exact)) : std::nullopt,
      columns.map(exact));
}

} // namespace

TORCH_IMPL_FUNC(upsample_nearest1d_out_cpu)
(const Tensor& self, IntArrayRef size, std::optional<double> scale, const Tensor& out) {
  forward(self, out, {}, {self.size(2), size[0], scale}, false);
}
TORCH_IMPL_FUNC(_upsample_nearest_exact1d_out_cpu)
(const Tensor& self, IntArrayRef size, std::optional<double> scale, const Tensor& out) {
  forward(self, out, {}, {self.size(2), size[0], scale}, true);
}
TORCH_IMPL_FUNC(upsample_nearest2d_out_cpu)
(const Tensor& self, IntArrayRef size, std::optional<double> scale_h, std::optional<double> scale_w,
 const Tensor& out) {
  forward(self, out, Axis{self.size(2), size[0], scale_h}, {self.size(3), size[1], scale_w}, false);
}
TORCH_IMPL_FUNC(_upsample_nearest_exact2d_out_cpu)
(const Tensor& self, IntArrayRef size, std::optional<double> scale_h, std::optional<double> scale_w,
 const Tensor& out) {
  forward(self, out, Axis{self.size(2), size[0], scale_h}, {self.size(3), size[1], scale_w}, true);
}

TORCH_IMPL_FUNC(upsample_nearest1d_backward_out_cpu)
(const Tensor& grad, IntArrayRef size, IntArrayRef input, std::optional<double> scale,
 const Tensor& grad_in) {
  backward(grad, grad_in, {}, {input[2], size[0], scale}, false);
}
TORCH_IMPL_FUNC(_upsample_nearest_exact1d_backward_out_cpu)
(const Tensor& grad, IntArrayRef size, IntArrayRef input, std::optional<double> scale,
 const Tensor& grad_in) {
  backward(grad, grad_in, {}, {input[2], size[0], scale}, true);
}
TORCH_IMPL_FUNC(upsample_nearest2d_backward_out_cpu)
(const Tensor& grad, IntArrayRef size, IntArrayRef input, std::optional<double> scale_h,
 std::optional<double> scale_w, const Tensor& grad_in) {
  backward(grad, grad_in, Axis{input[2], size[0], scale_h}, {input[3], size[1], scale_w}, false);
}
TORCH_IMPL_FUNC(_upsample_nearest_exact2d_backward_out_cpu)
(const Tensor& grad, IntArrayRef size, IntArrayRef input, std::optional<double> scale_h,
 std::optional<double> scale_w, const Tensor& grad_in) {
  backward(grad, grad_in, Axis{input[2], size[0], scale_h}, {input[3], size[1], scale_w}, true);
}

Tensor upsample_nearest1d(
    const Tensor& input, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scales) {
  return at::upsample_nearest1d(
      input, upsample_output_sizes(input.sizes(), size, scales), scale_at(scales, 0));
}
Tensor _upsample_nearest_exact1d(
    const Tensor& input, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scales) {
  return at::_upsample_nearest_exact1d(
      input, upsample_output_sizes(input.sizes(), size, scales), scale_at(scales, 0));
}
Tensor upsample_nearest2d(
    const Tensor& input, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scales) {
  return at::upsample_nearest2d(
      input, upsample_output_sizes(input.sizes(), size, scales), scale_at(scales, 0),
      scale_at(scales, 1));
}
Tensor _upsample_nearest_exact2d(
    const Tensor& input, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scales) {
  return at::_upsample_nearest_exact2d(
      input, upsample_output_sizes(input.sizes(), size, scales), scale_at(scales, 0),
      scale_at(scales, 1));
}

} // namespace at::native
