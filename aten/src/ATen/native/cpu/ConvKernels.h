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
  const void* bias; // or null
  void* target;
};

// With adjacent positions in the lanes of a register.
void convolve_by_position(const ConvOperands& operands);

// With target channels in lanes. Not for int64; wants at least a register of them in a group.
void convolve_by_channel(const ConvOperands& operands);

// The weight's gradient with output channels in lanes; wants at least a register of them in a
// group.
void conv_weight_by_channel(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight);

} // namespace CPU_CAPABILITY
} // namespace at::native
