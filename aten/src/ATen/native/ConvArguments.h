#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/ConvShape.h>
#include <c10/core/MemoryFormat.h>

namespace at::native {

// The checked arguments of a convolution, with one value per spatial dimension.
struct ConvArguments {
  int64_t dims; // spatial
  bool transposed;
  Tensor input; // batched
  Tensor weight;
  Tensor bias; // may be undefined
  c10::DimVector output_sizes;
  // The shape that the kernels use. A transposed convolution is the adjoint of a convolution from
  // its output to its input.
  ConvShape shape;

  MemoryFormat memory_format() const;
};

ConvArguments conv_arguments(
    const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
    IntArrayRef padding, IntArrayRef dilation, bool transposed, IntArrayRef output_padding,
    int64_t groups);

// Expands a single value to all dimensions, or takes one per dimension.
c10::DimVector expand_conv_param(IntArrayRef values, const char* name, int64_t dims);

} // namespace at::native
