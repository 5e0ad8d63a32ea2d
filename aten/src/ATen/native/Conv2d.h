#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

namespace at::native {

// A two-dimensional convolution over contiguous arrays: input (batch, in_channels, in_h, in_w),
// weight (out_channels, in_channels / groups, kernel_h, kernel_w), output (batch, out_channels,
// out_h, out_w).
struct Conv2dShape {
  int64_t batch;
  int64_t groups;
  int64_t in_channels, out_channels;
  int64_t in_h, in_w;
  int64_t kernel_h, kernel_w;
  int64_t out_h, out_w;
  int64_t stride_h, stride_w;
  int64_t pad_h, pad_w;
  int64_t dilation_h, dilation_w;
};

// dtype is float, double or int64; bias may be null.
using conv2d_fn = void (*)(
    c10::ScalarType dtype, const Conv2dShape& shape, const void* input, const void* weight,
    const void* bias, void* output);
DECLARE_DISPATCH(conv2d_fn, conv2d_stub);

} // namespace at::native
