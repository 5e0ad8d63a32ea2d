#include <ATen/core/Tensor.h>
#include <ATen/native/AvgPool.h>
#include <ATen/native/Pool.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_adaptive_avg_pool2d.h>
#include <ATen/ops/_adaptive_avg_pool2d_backward_native.h>
#include <ATen/ops/_adaptive_avg_pool2d_native.h>
#include <ATen/ops/adaptive_avg_pool2d_native.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/mean.h>

// Output cell (oh, ow) is the mean over an adaptive window; see adaptive_windows.

namespace at::native {

namespace {

c10::DimVector adaptive_sizes(const Tensor& self, IntArrayRef output_size) {
  TORCH_CHECK(output_size.size() == 2, "adaptive_avg_pool2d: output_size must be 2");
  const int64_t dims = self.dim();
  TORCH_CHECK(
      dims == 3 || dims == 4, "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got ",
      self.sizes());
  for (int64_t d = dims - 2; d < dims; ++d) {
    TORCH_CHECK(
        self.size(d) > 0,
        "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, but "
        "input has sizes ",
        self.sizes(), " with dimension ", d, " being empty");
  }
  TORCH_CHECK(
      output_size[0] >= 0 && output_size[1] >= 0,
      "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
      "received {",
      output_size[0], ", ", output_size[1], "}");
  c10::DimVector sizes(self.sizes());
  sizes[sizes.size() - 2] = output_size[0];
  sizes[sizes.size() - 1] = output_size[1];
  return sizes;
}

std::vector<int64_t> lengths(const std::vector<PoolWindow>& windows) {
  std::vector<int64_t> result;
  result.reserve(windows.size());
  for (const PoolWindow& window : windows) {
    result.push_back(window.end - window.begin);
  }
  return result;
}

AvgPoolPlan adaptive_plan(const Tensor& self, int64_t out_h, int64_t out_w) {
  AvgPoolPlan plan{
      self.dim() == 4 ? self.size(0) : 1,
      self.size(-3),
      self.size(-2),
      self.size(-1),
      pools_channels_last(self),
      adaptive_windows(out_h, self.size(-2)),
      adaptive_windows(out_w, self.size(-1)),
      {},
      {},
      {out_h, self.size(-2)},
      {out_w, self.size(-1)}};
  plan.row_divisors = lengths(plan.rows);
  plan.column_divisors = lengths(plan.columns);
  return plan;
}

void fill_output(const Tensor& self, const Tensor& output) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      output.numel() == 0 || at::isFloatingType(self.scalar_type()),
      "\"adaptive_avg_pool2d_cpu\" not implemented for '", self.scalar_type(), "'");
  run_avg_pool(
      /*backward=*/false, adaptive_plan(self, output.size(-2), output.size(-1)), self, output);
}

} // namespace

Tensor adaptive_avg_pool2d_cpu(const Tensor& self, IntArrayRef output_size) {
  const c10::DimVector sizes = adaptive_sizes(self, output_size);
  Tensor output = at::empty_strided(sizes, pooled_strides(self, sizes), self.options());
  if (!self.is_meta()) {
    fill_output(self, output);
  }
  return output;
}

Tensor& adaptive_avg_pool2d_out_cpu(const Tensor& self, IntArrayRef output_size, Tensor& out) {
  const c10::DimVector sizes = adaptive_sizes(self, output_size);
  TORCH_CHECK(
      out.scalar_type() == self.scalar_type(), "expected dtype ", self.scalar_type(),
      " for `output` but got dtype ", out.scalar_type());
  if (resize_output(out, sizes) && pools_channels_last(self)) {
    at::methods::as_strided_(out, sizes, pooled_strides(self, sizes));
  }
  if (!self.is_meta()) {
    fill_output(self, out);
  }
  return out;
}

Tensor adaptive_avg_pool2d_backward_cpu(const Tensor& grad_output, const Tensor& self) {
  TORCH_CHECK(
      grad_output.dim() == self.dim() && (self.dim() == 3 || self.dim() == 4),
      "adaptive_avg_pool2d_backward(): Expected 3D or 4D tensors of equal dimensions, but got ",
      grad_output.sizes(), " and ", self.sizes());
  check_adaptive_grad("adaptive_avg_pool2d_backward", grad_output);
  for (int64_t d = 0; d < self.dim() - 2; ++d) {
    TORCH_CHECK(
        grad_output.size(d) == self.size(d),
        "adaptive_avg_pool2d_backward(): expected grad_output "
        "of size ",
        self.size(d), " at dimension ", d, ", but got ", grad_output.sizes());
  }
  TORCH_CHECK(
      grad_output.scalar_type() == self.scalar_type(), "expected dtype ", self.scalar_type(),
      " for `grad_output` but got dtype ", grad_output.scalar_type());
  Tensor grad_input =
      at::empty_strided(self.sizes(), pooled_strides(self, self.sizes()), self.options());
  if (!self.is_meta()) {
    run_avg_pool(
        /*backward=*/true, adaptive_plan(self, grad_output.size(-2), grad_output.size(-1)),
        grad_output, grad_input);
  }
  return grad_input;
}

Tensor adaptive_avg_pool2d(const Tensor& self, IntArrayRef output_size) {
  TORCH_CHECK(output_size.size() == 2, "adaptive_avg_pool2d: output_size must be 2");
  TORCH_CHECK(
      output_size[0] >= 0 && output_size[1] >= 0,
      "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
      "received {",
      output_size[0], ", ", output_size[1], "}");
  if (output_size[0] == 1 && output_size[1] == 1 && self.numel() > 0 && self.dim() >= 3) {
    Tensor mean = at::mean(self, {-1, -2}, /*keepdim=*/true);
    if (pools_channels_last(self)) {
      at::methods::as_strided_(mean, mean.sizes(), pooled_strides(self, mean.sizes()));
    }
    return mean;
  }
  return at::_adaptive_avg_pool2d(self, output_size);
}

} // namespace at::native
