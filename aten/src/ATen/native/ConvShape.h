#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <array>
#include <cstdint>

namespace at::native {

// A convolution over contiguous arrays: input (batch, in_channels, in...), weight (out_channels,
// in_channels / groups, kernel...), output (batch, out_channels, out...). There are always three
// spatial dimensions; missing ones come first and have size 1.
struct ConvShape {
  using Extent = std::array<int64_t, 3>;

  int64_t batch;
  int64_t groups;
  int64_t in_channels, out_channels;
  Extent in, kernel, out;
  Extent stride, pad, dilation;
};

constexpr int64_t volume(const ConvShape::Extent& extent) {
  return extent[0] * extent[1] * extent[2];
}

// The dtype in which a device computes convolutions of this dtype; throws if it cannot.
using conv_dtype_fn = c10::ScalarType (*)(c10::ScalarType dtype);
DECLARE_DISPATCH(conv_dtype_fn, conv_dtype_stub);

// dtype is one that conv_dtype_stub returns.

// output = input * weight + bias; bias may be null.
using conv_fn = void (*)(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* weight,
    const void* bias, void* output);
DECLARE_DISPATCH(conv_fn, conv_stub);

// The adjoint of the map from input to output, with a bias per input channel: the gradient of a
// convolution's input, and the result of a transposed convolution.
using conv_adjoint_fn = void (*)(
    c10::ScalarType dtype, const ConvShape& shape, const void* output, const void* weight,
    const void* bias, void* input);
DECLARE_DISPATCH(conv_adjoint_fn, conv_adjoint_stub);

// The gradient of the weight, computed from the input and the gradient of the output.
using conv_weight_fn = void (*)(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight);
DECLARE_DISPATCH(conv_weight_fn, conv_weight_stub);

} // namespace at::native
