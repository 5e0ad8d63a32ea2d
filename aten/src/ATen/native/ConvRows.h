#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/ConvArguments.h>

#include <optional>

// Convolutions on the CPU of float and double images in channels-last order, where the positions of
// all images are the rows of a matrix: images are not copied into another order, and results are in
// channels-last order. Kernels of one element are matrix products, those with a group for each
// channel are computed channel by channel, and others with long enough rows are sums of products.

namespace at::native {

// The maps of ConvProducts.h, or nothing where other kernels are to compute them.
std::optional<Tensor> rows_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
std::optional<Tensor> rows_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
std::optional<Tensor> rows_weight(
    const ConvArguments& a, const Tensor& input, const Tensor& output);

// Whether the adjoint of a convolution is a convolution, and its shape: it has the same taps in the
// other direction, over the padded output.
bool is_reversible(const ConvShape& shape);
ConvShape reversed(const ConvShape& shape);

// The kernels are given float or double arrays: input (batch, in..., channels), weight (kernel...,
// channels), output (batch, out..., channels), and the bias, which may be null. Images have at
// least as many channels as a register holds.
DECLARE_DISPATCH(conv_fn, depthwise_rows_stub);
DECLARE_DISPATCH(conv_weight_fn, depthwise_weight_stub);
// Here the weight is (kernel..., in_channels, out_channels).
DECLARE_DISPATCH(conv_fn, conv_rows_stub);

} // namespace at::native
