#pragma once

#include <ATen/native/ConvShape.h>

// Convolutions whose kernel has one element, without padding and groups: matrix products over the
// positions of each image.

namespace at::native {

// Whether the products below are faster than direct convolution.
bool is_pointwise_product(c10::ScalarType dtype, const ConvShape& shape);

// The maps of ConvShape.h, for float and double.
void pointwise_conv(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* weight,
    const void* bias, void* output);
void pointwise_conv_adjoint(
    c10::ScalarType dtype, const ConvShape& shape, const void* output, const void* weight,
    const void* bias, void* input);
void pointwise_conv_weight(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight);

} // namespace at::native
