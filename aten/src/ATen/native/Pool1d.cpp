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
      self.dim() == 2 || self.dim() == 3, "Expected 2 to 3 dimensions, but got ", self.dim(),
      "-dimensional tensor for argument #1 'self' (while checking arguments for ", name, ")");
}

int64_t only(const char* name, const char* argument, IntArrayRef values) {
  TORCH_CHECK(
      values.size() == 1, name, "() argument '", argument, "' should contain one int (got ",
      values.size(), ")");
  return values[0];
}

void check_single(const char* argument, const char* forms, IntArrayRef values) {
  TORCH_CHECK(
      values.size() == 1, "max_pool1d() ", argument, " must be ", forms, " of size 1 but got size ",
      values.size());
}

void check_max_pool(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation) {
  TORCH_CHECK(
      (self.dim() == 2 || self.dim() == 3) && self.size(-1) != 0 && self.size(-2) != 0,
      "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, "
      "but got:",
      self.sizes());
  check_single("kernel_size", "an int, list of ints or tuple of ints", kernel_size);
  if (!stride.empty()) {
    check_single("stride", "None, an int, list of ints, or tuple of ints", stride);
  }
  check_single("padding", "an int, list of ints, or tuple of ints", padding);
  check_single("dilation", "an int, list of ints or tuple of ints", dilation);
  TORCH_CHECK(
      kernel_size[0] > 0, "max_pool1d() kernel_size must be greater than zero, but got ",
      kernel_size[0]);
  TORCH_CHECK(
      stride.empty() || stride[0] > 0, "max_pool1d() stride must be greater than zero, but got ",
      stride[0]);
  TORCH_CHECK(padding[0] >= 0, "max_pool1d() padding must be non-negative, but got ", padding[0]);
  TORCH_CHECK(
      padding[0] <= kernel_size[0] / 2,
      "max_pool1d() padding should be at most half of kernel size, but got padding=", padding[0],
      " and kernel_size=", kernel_size[0]);
  TORCH_CHECK(
      dilation[0] > 0, "max_pool1d() dilation must be greater than zero, but got ", dilation[0]);
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
  for (int64_t d = 1; d < self.dim(); ++d) {
    TORCH_CHECK(
        self.size(d) > 0,
        "adaptive_max_pool1d(): Expected input to have non-zero size for non-batch dimensions, but "
        "input has sizes ",
        self.sizes(), " with dimension ", d, " being empty");
  }
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
  check_max_pool(self, kernel_size, stride, padding, dilation);
  return std::get<0>(
      at::max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

} // namespace at::native
