#include <ATen/native/Pool.h>

#include <algorithm>
#include <string_view>

namespace at::native {

// The number of windows that fit. As in PyTorch, when rounding up the last window must start inside
// the input or its left padding.
int64_t pooled_size(
    int64_t size, int64_t kernel, int64_t pad, int64_t stride, int64_t dilation, bool ceil_mode) {
  const int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0);
  int64_t count = (room >= 0 ? room / stride : -((-room + stride - 1) / stride)) + 1;
  if (ceil_mode && (count - 1) * stride >= size + pad) {
    --count;
  }
  return count;
}

namespace {

int64_t first(IntArrayRef values) {
  return values[0];
}
int64_t second(IntArrayRef values) {
  return values.size() == 1 ? values[0] : values[1];
}

} // namespace

PoolShape pool2d_shape(
    const char* op, const TensorBase& input, IntArrayRef kernel_size, IntArrayRef stride,
    IntArrayRef padding, IntArrayRef dilation, bool ceil_mode) {
  const auto one_or_two = [op](IntArrayRef values, const char* name) {
    TORCH_CHECK(
        values.size() == 1 || values.size() == 2, op, ": ", name,
        std::string_view(name) == "dilation" ? " must be either" : " must either be",
        " a single int, or a tuple of two ints");
  };
  one_or_two(kernel_size, "kernel_size");
  TORCH_CHECK(
      stride.empty() || stride.size() <= 2, op,
      ": stride must either be omitted, a single int, or a tuple of two ints");
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

  TORCH_CHECK(shape.stride_h != 0 && shape.stride_w != 0, "stride should not be zero");
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
      shape.pad_h >= 0 && shape.pad_w >= 0,
      "pad must be non-negative, but got pad: ", std::min(shape.pad_h, shape.pad_w));
  TORCH_CHECK(
      shape.pad_h <= shape.kernel_h / 2 && shape.pad_w <= shape.kernel_w / 2,
      "pad should be at most half of effective kernel size, but got pad=",
      shape.pad_h > shape.kernel_h / 2 ? shape.pad_h : shape.pad_w,
      ", kernel_size=", shape.pad_h > shape.kernel_h / 2 ? shape.kernel_h : shape.kernel_w,
      " and dilation=", shape.pad_h > shape.kernel_h / 2 ? shape.dilation_h : shape.dilation_w);
  TORCH_CHECK(
      shape.channels > 0 && shape.in_h > 0 && shape.in_w > 0,
      "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:",
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

// The part of each window that lies inside the input, in steps of its dilation.
std::vector<PoolWindow> pool_windows(
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

std::vector<PoolWindow> adaptive_windows(int64_t count, int64_t size) {
  std::vector<PoolWindow> result(count);
  for (int64_t out = 0; out < count; ++out) {
    result[out] = {out * size / count, ((out + 1) * size + count - 1) / count};
  }
  return result;
}

} // namespace at::native
