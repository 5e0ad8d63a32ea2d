#include <ATen/core/Tensor.h>
#include <ATen/native/AvgPool.h>
#include <ATen/ops/avg_pool2d_backward_native.h>
#include <ATen/ops/avg_pool2d_native.h>
#include <ATen/ops/copy.h>

#include <algorithm>

namespace at::native {

DEFINE_DISPATCH(avg_pool2d_stub);
DEFINE_DISPATCH(avg_pool2d_backward_stub);

void run_avg_pool(bool backward, const AvgPoolPlan& plan, const Tensor& in, const Tensor& out) {
  if (out.numel() == 0) {
    return;
  }
  const MemoryFormat format =
      plan.channels_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous;
  const Tensor source = in.contiguous(format);
  const bool direct = out.is_contiguous(format);
  const Tensor target = direct ? out : out.contiguous(format);
  const auto run = [&](auto& stub) {
    stub(
        in.device().type(), in.scalar_type(), plan, source.const_data_ptr(),
        target.mutable_data_ptr());
  };
  backward ? run(avg_pool2d_backward_stub) : run(avg_pool2d_stub);
  if (!direct) {
    at::methods::copy_(out, target);
  }
}

namespace {

PoolShape avg_pool2d_shape(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    bool ceil_mode) {
  return pool2d_shape("avg_pool2d", self, kernel_size, stride, padding, {1, 1}, ceil_mode);
}

// How many elements of each window count: those inside, and the padding if it is included.
std::vector<int64_t> divisors(
    const std::vector<PoolWindow>& windows, int64_t stride, int64_t pad, int64_t kernel,
    int64_t size, bool count_include_pad) {
  std::vector<int64_t> result(windows.size());
  for (size_t i = 0; i < windows.size(); ++i) {
    const int64_t begin = static_cast<int64_t>(i) * stride - pad;
    result[i] = count_include_pad ? std::min(begin + kernel, size + pad) - begin
                                  : windows[i].end - windows[i].begin;
  }
  return result;
}

AvgPoolPlan avg_pool2d_plan(
    const Tensor& self, const PoolShape& s, bool count_include_pad,
    std::optional<int64_t> divisor) {
  AvgPoolPlan plan{
      s.planes / s.channels,
      s.channels,
      s.in_h,
      s.in_w,
      pools_channels_last(self),
      pool_windows(s.out_h, s.stride_h, s.pad_h, s.kernel_h, 1, s.in_h),
      pool_windows(s.out_w, s.stride_w, s.pad_w, s.kernel_w, 1, s.in_w),
      {},
      {},
      {s.out_h, s.in_h, s.stride_h, s.pad_h, s.kernel_h, 1, count_include_pad, divisor.value_or(0)},
      {s.out_w, s.in_w, s.stride_w, s.pad_w, s.kernel_w, 1, count_include_pad,
       divisor.has_value() ? 1 : 0}};
  if (divisor.has_value()) {
    plan.row_divisors.assign(plan.rows.size(), *divisor);
    plan.column_divisors.assign(plan.columns.size(), 1);
  } else {
    plan.row_divisors =
        divisors(plan.rows, s.stride_h, s.pad_h, s.kernel_h, s.in_h, count_include_pad);
    plan.column_divisors =
        divisors(plan.columns, s.stride_w, s.pad_w, s.kernel_w, s.in_w, count_include_pad);
  }
  return plan;
}

void check_divisor(std::optional<int64_t> divisor) {
  TORCH_CHECK(!divisor.has_value() || *divisor != 0, "divisor must be not zero");
}

} // namespace

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(avg_pool2d)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 bool ceil_mode, bool /*count_include_pad*/, std::optional<int64_t> divisor_override) {
  native::check_divisor(divisor_override);
  const native::PoolShape shape =
      native::avg_pool2d_shape(self, kernel_size, stride, padding, ceil_mode);
  c10::DimVector sizes(self.sizes());
  sizes[sizes.size() - 2] = shape.out_h;
  sizes[sizes.size() - 1] = shape.out_w;
  set_output_strided(0, sizes, native::pooled_strides(self, sizes), self.options());
}

TORCH_META_FUNC(avg_pool2d_backward)
(const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
 IntArrayRef padding, bool ceil_mode, bool /*count_include_pad*/,
 std::optional<int64_t> divisor_override) {
  native::check_divisor(divisor_override);
  const native::PoolShape shape =
      native::avg_pool2d_shape(self, kernel_size, stride, padding, ceil_mode);
  c10::DimVector sizes(self.sizes());
  sizes[sizes.size() - 2] = shape.out_h;
  sizes[sizes.size() - 1] = shape.out_w;
  TORCH_CHECK(
      grad_output.sizes() == IntArrayRef(sizes),
      "avg_pool2d_backward: expected grad_output of "
      "size ",
      IntArrayRef(sizes), ", but got ", grad_output.sizes());
  set_output_strided(0, self.sizes(), native::pooled_strides(self, self.sizes()), self.options());
}

} // namespace at::meta

namespace at::native {

TORCH_IMPL_FUNC(avg_pool2d_out_cpu)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override,
 const Tensor& output) {
  const PoolShape shape = avg_pool2d_shape(self, kernel_size, stride, padding, ceil_mode);
  run_avg_pool(
      /*backward=*/false, avg_pool2d_plan(self, shape, count_include_pad, divisor_override), self,
      output);
}

TORCH_IMPL_FUNC(avg_pool2d_backward_out_cpu)
(const Tensor& grad_output, const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
 IntArrayRef padding, bool ceil_mode, bool count_include_pad,
 std::optional<int64_t> divisor_override, const Tensor& grad_input) {
  const PoolShape shape = avg_pool2d_shape(self, kernel_size, stride, padding, ceil_mode);
  run_avg_pool(
      /*backward=*/true, avg_pool2d_plan(self, shape, count_include_pad, divisor_override),
      grad_output, grad_input);
}

} // namespace at::native
