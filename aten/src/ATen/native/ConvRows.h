#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/ConvArguments.h>

// Convolutions in channels-last order whose kernel has one element, without padding and groups: the
// positions of all images are the rows of one matrix product, so nothing is copied into another
// order.

namespace at::native {

// Whether a convolution of tensors on the CPU is one of these.
bool is_product_of_rows(const ConvArguments& a);

// The maps of ConvProducts.h. Results of images are in channels-last order.
Tensor rows_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias);
Tensor rows_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
Tensor rows_weight(const ConvArguments& a, const Tensor& input, const Tensor& output);

} // namespace at::native
