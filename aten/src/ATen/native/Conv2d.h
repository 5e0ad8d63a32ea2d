#pragma once

// Direct and GEMM-based convolution of row-major planes, forward only.

#include <ATen/core/TensorBase.h>

#include <cstdint>

namespace at::native {

struct ConvAxis {
  int64_t in, out, kernel, stride, pad, dilation;
};

struct Conv2dJob {
  int64_t batch, groups;
  int64_t in_channels, out_channels;  // of one group
  ConvAxis h, w;
};

// input [batch, groups * in_channels, h, w], weight [groups * out_channels, in_channels, kh, kw],
// bias [groups * out_channels] or undefined, output [batch, groups * out_channels, oh, ow]; all
// contiguous and of one dtype that gemm() knows.
void conv2d_forward(const Conv2dJob& job, const TensorBase& input, const TensorBase& weight,
                    const TensorBase& bias, const TensorBase& output);

} // namespace at::native
