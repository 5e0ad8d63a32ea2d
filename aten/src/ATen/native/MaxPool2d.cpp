#include <ATen/native/Pool.h>
#include <ATen/ops/max_pool2d_native.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_native.h>

#include <algorithm>

namespace at::native {

DEFINE_DISPATCH(max_pool2d_stub);

namespace {

// How many windows fit: PyTorch's rule, with the last one starting inside the input or its left
// padding when rounding up.
int64_t pooled_size(
    int64_t size, int64_t kernel, int64_t pad, int64_t stride, int64_t dilation, bool ceil_mode) {
  const int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0);
  int64_t count = (room >= 0 ? room / stride : -((-room + stride - 1) / stride)) + 1;
  if (ceil_mode && (count - 1) * stride >= size + pad) {
    --count;
  }
  return count;
}

int64_t first(IntArrayRef values) {
  return values[0];
}
int64_t second(IntArrayRef values) {
  return values.size() == 1 ? values[0] : values[1];
}

} // namespace

PoolShape max_pool2d_shape(
    const TensorBase& input, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool ceil_mode) {
  const auto one_or_two = [](IntArrayRef values, const char* name) {
    TORCH_CHECK(
        values.size() == 1 || values.size() == 2, "max_pool2d: ", name,
        " must either be a single int, or a tuple of two ints");
  };
  one_or_two(kernel_size, "kernel_size");
  TORCH_CHECK(
      stride.empty() || stride.size() <= 2,
      "max_pool2d: stride must either be omitted, a single int, or a tuple of two ints");
  one_or_two(padding, "padding");
  one_or_two(dilation, "dilation");
  TORCH_CHECK(
      input.dim() == 3 || input.dim() == 4,
      "non-empty 3D or 4D (batch mode) tensor expected for input");

  const IntArrayRef steps = stride.empty() ? kernel_size : stride;
  PoolShape shape{};
  shape.kernel_h = first(kernel_size);
  shape.kernel_w = second(kernel_size);
  shape.stride_h = first(steps);
  shape.stride_w = second(steps);
  shape.pad_h = first(padding);
  shape.pad_w = second(padding);
  shape.dilation_h = first(dilation);
  shape.dilation_w = second(dilation);
  shape.channels = input.size(-3);
  shape.planes = shape.channels * (input.dim() == 4 ? input.size(0) : 1);
  shape.in_h = input.size(-2);
  shape.in_w = input.size(-1);

  TORCH_CHECK(
      shape.kernel_h > 0 && shape.kernel_w > 0,
      "kernel size should be greater than zero, but got kH: ", shape.kernel_h,
      " kW: ", shape.kernel_w);
  TORCH_CHECK(
      shape.stride_h > 0 && shape.stride_w > 0,
      "stride should be greater than zero, but got dH: ", shape.stride_h, " dW: ", shape.stride_w);
  TORCH_CHECK(
      shape.dilation_h > 0 && shape.dilation_w > 0,
      "dilation should be greater than zero, but got dilationH: ", shape.dilation_h,
      " dilationW: ", shape.dilation_w);
  TORCH_CHECK(
      shape.pad_h >= 0 && shape.pad_w >= 0 && shape.pad_h <= shape.kernel_h / 2 &&
          shape.pad_w <= shape.kernel_w / 2,
      "pad should be at most half of effective kernel size, but got pad=",
      shape.pad_h > shape.kernel_h / 2 ? shape.pad_h : shape.pad_w,
      ", kernel_size=", shape.pad_h > shape.kernel_h / 2 ? shape.kernel_h : shape.kernel_w);
  TORCH_CHECK(
      shape.channels > 0 && shape.in_h > 0 && shape.in_w > 0,
      "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got: ",
      input.sizes());

  shape.out_h = pooled_size(
      shape.in_h, shape.kernel_h, shape.pad_h, shape.stride_h, shape.dilation_h, ceil_mode);
  shape.out_w = pooled_size(
      shape.in_w, shape.kernel_w, shape.pad_w, shape.stride_w, shape.dilation_w, ceil_mode);
  TORCH_CHECK(
      shape.out_h >= 1 && shape.out_w >= 1, "Given input size: (", shape.channels, "x", shape.in_h,
      "x", shape.in_w, "). Calculated output size: (", shape.channels, "x", shape.out_h, "x",
      shape.out_w, "). Output size is too small");
  return shape;
}

bool pools_channels_last(const TensorBase& input) {
  return input.dim() == 4 && input.suggest_memory_format() == MemoryFormat::ChannelsLast;
}

c10::DimVector pooled_strides(const TensorBase& input, IntArrayRef sizes) {
  if (pools_channels_last(input)) {
    return {sizes[1] * sizes[2] * sizes[3], 1, sizes[1] * sizes[3], sizes[1]};
  }
  return c10::contiguous_strides(sizes);
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(max_pool2d_with_indices)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 IntArrayRef dilation, bool ceil_mode) {
  const native::PoolShape shape =
      native::max_pool2d_shape(self, kernel_size, stride, padding, dilation, ceil_mode);
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

// The part of each window that lies inside the input, in steps of its dilation.
std::vector<PoolWindow> windows(
    int64_t count, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation, int64_t size) {
  std::vector<PoolWindow> result(count);
  for (int64_t out = 0; out < count; ++out) {
    int64_t begin = out * stride - pad;
    const int64_t end = std::min(begin + (kernel - 1) * dilation + 1, size);
    while (begin < 0) {
      begin += dilation;
    }
    result[out] = {begin, end};
  }
  return result;
}

PoolPlan plan_of(const PoolShape& s) {
  return {
      s.planes,
      s.channels,
      s.in_h,
      s.in_w,
      s.dilation_h,
      s.dilation_w,
      windows(s.out_h, s.stride_h, s.pad_h, s.kernel_h, s.dilation_h, s.in_h),
      windows(s.out_w, s.stride_w, s.pad_w, s.kernel_w, s.dilation_w, s.in_w)};
}

} // namespace

TORCH_IMPL_FUNC(max_pool2d_with_indices_out_cpu)
(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
 IntArrayRef dilation, bool ceil_mode, const Tensor& output, const Tensor& indices) {
  const PoolShape shape = max_pool2d_shape(self, kernel_size, stride, padding, dilation, ceil_mode);
  const bool channels_last = pools_channels_last(self);
  const Tensor input =
      self.contiguous(channels_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous);
  max_pool2d_stub(
      kCPU, self.scalar_type(), plan_of(shape), channels_last, input.const_data_ptr(),
      output.mutable_data_ptr(), indices.mutable_data_ptr<int64_t>());
}

Tensor max_pool2d(
    const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool ceil_mode) {
  return std::get<0>(
      at::max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode));
}

} // namespace at::native
