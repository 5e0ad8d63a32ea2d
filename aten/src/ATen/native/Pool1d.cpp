#include <ATen/core/Tensor.h>
#include <ATen/ops/adaptive_avg_pool1d_native.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/adaptive_max_pool1d_native.h>
#include <ATen/ops/adaptive_max_pool2d.h>
#include <ATen/ops/avg_pool1d_native.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/max_pool1d_native.h>
#include <ATen/ops/max_pool1d_with_indices.h>
#include <ATen/ops/max_pool1d_with_indices_native.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>

// One-dimensional pooling is implemented as two-dimensional pooling of images with one row.

namespace at::native {

namespace {

void check_dims(const char* name, const Tensor& self) {
  TORCH_CHECK(
      self.dim() == 2 || self.dim() == 3, name, "() Expected 2D or 3D input tensor, but got ",
      self.sizes());
}

int64_t only(const char* name, const char* argument, IntArrayRef values) {
  TORCH_CHECK(
      values.size() == 1, name, "() argument '", argument, "' should contain one int, but got ",
      values.size());
  return values[0];
}

// The stride of a pooling defaults to its kernel size.
int64_t step_of(const char* name, IntArrayRef stride, int64_t kernel) {
  return stride.empty() ? kernel : only(name, "stride", stride);
}

} // namespace

Tensor avg_pool1d(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    bool ceil_mode, bool count_include_pad) {
  constexpr const char* name = "avg_pool1d";
  check_dims(name, self);
  const int64_t kernel = only(name, "kernel_size", kernel_size);
  return at::squeeze(
      at::avg_pool2d(
          at::unsqueeze(self, -2), {1, kernel}, {1, step_of(name, stride, kernel)},
          {0, only(name, "padding", padding)}, ceil_mode, count_include_pad),
      -2);
}

Tensor adaptive_avg_pool1d(const Tensor& self, IntArrayRef output_size) {
  check_dims("adaptive_avg_pool1d", self);
  const int64_t size = only("adaptive_avg_pool1d", "output_size", output_size);
  return at::squeeze(at::adaptive_avg_pool2d(at::unsqueeze(self, -2), {1, size}), -2);
}

std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, IntArrayRef output_size) {
  check_dims("adaptive_max_pool1d", self);
  const int64_t size = only("adaptive_max_pool1d", "output_size", output_size);
  const auto [output, indices] = at::adaptive_max_pool2d(at::unsqueeze(self, -2), {1, size});
  return {at::squeeze(output, -2), at::squeeze(indices, -2)};
}

std::tuple<Tensor, Tensor> max_pool1d_with_indices(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool ceil_mode) {
  constexpr const char* name = "max_pool1d";
  check_dims(name, self);
  const int64_t kernel = only(name, "kernel_size", kernel_size);
  const auto [output, indices] = at::max_pool2d_with_indices(
      at::unsqueeze(self, -2), {1, kernel}, {1, step_of(name, stride, kernel)},
      {0, only(name, "padding", padding)}, {1, only(name, "dilation", dilation)}, ceil_mode);
  return {at::squeeze(output, -2), at::squeeze(indices, -2)};
}

Tensor max_pool1d(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool ceil_mode) {
  return std::get<0>(
      at::max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

} // namespace at::native
