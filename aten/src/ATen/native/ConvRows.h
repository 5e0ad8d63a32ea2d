#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/ConvArguments.h>

// Convolutions on the CPU of images in channels-last order, where the positions of all images are
// the rows of a matrix. Nothing is copied into another order, and results of images are in
// channels-last order.

namespace at::native {

// Kernels of one element, without padding and groups: matrix products.
bool is_product_of_rows(const ConvArguments& a);

// The maps of ConvProducts.h.
Tensor rows_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias);
Tensor rows_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
Tensor rows_weight(const ConvArguments& a, const Tensor& input, const Tensor& output);

// One group for each channel, of which the output has as many as the input. The adjoint is such a
// convolution, too, if no positions are skipped.
bool is_depthwise_of_rows(const ConvArguments& a);
bool is_depthwise_adjoint_of_rows(const ConvArguments& a);

Tensor depthwise_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
Tensor depthwise_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
Tensor depthwise_weight(const ConvArguments& a, const Tensor& input, const Tensor& output);

// input (batch, in..., channels), weight (kernel..., channels), output (batch, out..., channels),
// of float or double; bias may be null.
DECLARE_DISPATCH(conv_fn, depthwise_rows_stub);
DECLARE_DISPATCH(conv_weight_fn, depthwise_weight_stub); // with the weights in that order, too

// Other kernels without groups and without dilation along rows, where there are enough positions
// and channels: a sum of matrix products. The adjoint is one, too, if no positions are skipped.
bool is_sum_of_products(const ConvArguments& a);
bool is_adjoint_sum_of_products(const ConvArguments& a);

Tensor products_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
Tensor products_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);

// input (batch, in..., in_channels) with its padding, weight (kernel..., in_channels,
// out_channels), output (batch, out..., out_channels), of float or double; bias may be null.
DECLARE_DISPATCH(conv_fn, conv_rows_stub);

} // namespace at::native
