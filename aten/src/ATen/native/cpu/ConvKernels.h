#pragma once

#include <ATen/native/ConvShape.h>

// The kernels that conv_stub, conv_adjoint_stub and conv_weight_stub choose from.

namespace at::native {
inline namespace CPU_CAPABILITY {

// A convolution, or its adjoint, and its operands.
struct ConvOperands {
  c10::ScalarType dtype;
  const ConvShape& shape;
  bool adjoint;
  const void* source;
  const void* weight;
  const void* bias; // may be null
  void* target;
};

// Adjacent positions in the lanes of a register.
void convolve_by_position(const ConvOperands& operands);

// Target channels in lanes. Not for int64; needs at least a register of channels per group.
void convolve_by_channel(const ConvOperands& operands);

// By tiles, where is_tiled(dtype, shape).
void convolve_by_tile(const ConvOperands& operands);
// The same of images in channels-last order; the weight is (kernel..., in_channels, out_channels).
void convolve_rows_by_tile(
    const ConvShape& shape, const float* input, const float* weight, const float* bias,
    float* output);

// The gradient of the weight with output channels in lanes; needs at least a register of channels
// per group.
void conv_weight_by_channel(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight);

} // namespace CPU_CAPABILITY
} // namespace at::native
