#include <ATen/native/Pool.h>
#include <ATen/ops/adaptive_max_pool2d_native.h>

// Output cell (oh, ow) is the maximum, with its index in the plane, over rows [floor(oh * H / OH),
// ceil((oh + 1) * H / OH)) and the corresponding columns.

namespace at::meta {

TORCH_META_FUNC(adaptive_max_pool2d)(const Tensor& self, IntArrayRef output_size) {
  const int64_t dims = self.dim();
  TORCH_CHECK(
      dims == 3 || dims == 4,
      "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: ", self.sizes());
  for (int64_t d = 1; d < dims; ++d) {
    TORCH_CHECK(
        self.size(d) > 0,
        "adaptive_max_pool2d(): Expected input to have non-zero size for non-batch dimensions, but "
        "input has sizes ",
        self.sizes(), " with dimension ", d, " being empty");
  }
  TORCH_CHECK(
      output_size.size() == 2,
      "adaptive_max_pool2d(): internal error: output_size.size() must be 2");
  TORCH_CHECK(
      output_size[0] >= 0 && output_size[1] >= 0,
      "adaptive_max_pool2d(): elements of output_size must be greater than or equal to 0 but got ",
      output_size);
  c10::DimVector sizes(self.sizes());
  sizes[dims - 2] = output_size[0];
  sizes[dims - 1] = output_size[1];
  const c10::DimVector strides = native::pooled_strides(self, sizes);
  set_output_strided(0, sizes, strides, self.options());
  set_output_strided(1, sizes, strides, self.options().dtype(kLong));
}

} // namespace at::meta

namespace at::native {

TORCH_IMPL_FUNC(adaptive_max_pool2d_out_cpu)
(const Tensor& self, IntArrayRef output_size, const Tensor& output, const Tensor& indices) {
  const ScalarType dtype = self.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(
      at::isFloatingType(dtype), "\"adaptive_max_pool2d_cpu\" not implemented for '", dtype, "'");
  if (output.numel() == 0) {
    return;
  }
  const bool channels_last = pools_channels_last(self);
  const Tensor input =
      self.contiguous(channels_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous);
  const int64_t channels = self.size(-3), in_h = self.size(-2), in_w = self.size(-1);
  const PoolPlan plan{
      self.dim() == 4 ? self.size(0) * channels : channels,
      channels,
      in_h,
      in_w,
      /*dilation_h=*/1,
      /*dilation_w=*/1,
      adaptive_windows(output_size[0], in_h),
      adaptive_windows(output_size[1], in_w),
      {output_size[0], in_h},
      {output_size[1], in_w}};
  max_pool2d_stub(
      input.device().type(), dtype, plan, channels_last, input.const_data_ptr(),
      output.mutable_data_ptr(), indices.mutable_data_ptr<int64_t>());
}

} // namespace at::native
