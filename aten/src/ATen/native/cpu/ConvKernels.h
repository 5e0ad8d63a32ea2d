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

// Kernels of 3x3 elements by tiles of the source: for those that is_tiled.
bool is_tiled(const ConvOperands& operands);
void convolve_by_tile(const ConvOperands& operands);

// The gradient of the weight with output channels in lanes; needs at least a register of channels
// per group.
void conv_weight_by_channel(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight);

} // namespace CPU_CAPABILITY
} // namespace at::native
