#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/ConvArguments.h>

#include <optional>

// Convolutions of bfloat16 for processors with a tile unit: products of the windows of a
// channels-last image with the weight. Sums are float, and rounded once.

namespace at::native {

// The maps of ConvProducts.h, in channels-last order, or nothing where other kernels are to compute
// them.
std::optional<Tensor> tile_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
std::optional<Tensor> tile_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
std::optional<Tensor> tile_weight(
    const ConvArguments& a, const Tensor& input, const Tensor& output);
// The same images in the order that these maps read, if they compute them: several maps of the same
// images then copy them once.
Tensor in_tile_order(const ConvArguments& a, const Tensor& images);

// Bfloat16 arrays: images (batch, height, width, channels), and the weight (out_channels,
// kernel..., in_channels). The bias is float and may be null. There are no groups, and the first
// spatial dimension has size 1.
DECLARE_DISPATCH(
    void (*)(
        const ConvShape& shape, const void* input, const void* weight, const float* bias,
        void* output),
    tile_conv_stub);
DECLARE_DISPATCH(
    void (*)(const ConvShape& shape, const void* input, const void* output, void* weight),
    tile_conv_weight_stub);

} // namespace at::native
