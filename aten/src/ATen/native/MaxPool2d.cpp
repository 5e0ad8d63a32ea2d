#include <ATen/native/Pool.h>
#include <ATen/ops/max_pool2d_native.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_native.h>

#include <algorithm>

namespace at::native {

DEFINE_DISPATCH(max_pool2d_stub);
DEFINE_DISPATCH(max_pool2d_pixels_stub);

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(max_pool2d_with_indices)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 IntArrayRef dilation, bool ceil_mode) {
  const native::PoolShape shape =
      native::pool2d_shape("max_pool2d", self, kernel_size, stride, padding, dilation, ceil_mode);
  c10::DimVector sizes(self.sizes());
  sizes[sizes.size() - 2] = shape.out_h;
  sizes[sizes.size() - 1] = shape.out_w;
  const TensorOptions options = self.options();
  const c10::DimVector strides = native::pooled_strides(self, sizes);
  set_output_strided(0, sizes, strides, options);
  set_output_strided(1, sizes, strides, options.dtype(kLong));
}

} // namespace at::meta

namespace at::native {

namespace {

PoolPlan plan_of(const PoolShape& s) {
  return {
      s.planes,
      s.channels,
      s.in_h,
      s.in_w,
      s.dilation_h,
      s.dilation_w,
      pool_windows(s.out_h, s.stride_h, s.pad_h, s.kernel_h, s.dilation_h, s.in_h),
      pool_windows(s.out_w, s.stride_w, s.pad_w, s.kernel_w, s.dilation_w, s.in_w),
      {s.out_h, s.in_h, s.stride_h, s.pad_h, s.kernel_h, s.dilation_h},
      {s.out_w, s.in_w, s.stride_w, s.pad_w, s.kernel_w, s.dilation_w}};
}

} // namespace

TORCH_IMPL_FUNC(max_pool2d_with_indices_out_cpu)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 IntArrayRef dilation, bool ceil_mode, const Tensor& output, const Tensor& indices) {
  const PoolShape shape =
      pool2d_shape("max_pool2d", self, kernel_size, stride, padding, dilation, ceil_mode);
  const bool channels_last = pools_channels_last(self);
  const Tensor input =
      self.contiguous(channels_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous);
  max_pool2d_stub(
      self.device().type(), self.scalar_type(), plan_of(shape), channels_last,
      input.const_data_ptr(), output.mutable_data_ptr(), indices.mutable_data_ptr<int64_t>());
}

Tensor max_pool2d(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool ceil_mode) {
  return std::get<0>(
      at::max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

} // namespace at::native
