#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/ConvArguments.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/real.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_complex.h>

namespace at::native {

// The three bilinear maps of a convolution over arbitrary real tensors: operands are made
// contiguous for the kernels, and dtypes without kernels are computed in a wider one. Results are
// contiguous, or in channels-last order where that is the arguments' order and needs no copy.
Tensor conv_forward(
    const ConvArguments& a, const Tensor& input, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
Tensor conv_adjoint(
    const ConvArguments& a, const Tensor& output, const Tensor& weight, const Tensor& bias,
    IntArrayRef sizes);
Tensor conv_weight(const ConvArguments& a, const Tensor& input, const Tensor& output);

// x * y, or x * conj(y), for a bilinear * over real tensors:
// (a + bi) * (c + di) = (a * c - b * d) + (a * d + b * c)i.
template <typename Product>
Tensor complex_product(const Tensor& x, const Tensor& y, bool conjugate, const Product& product) {
  const Tensor a = at::real(x), b = at::imag(x), c = at::real(y);
  const Tensor d = conjugate ? -at::imag(y) : at::imag(y);
  return at::view_as_complex(
      at::stack({product(a, c) - product(b, d), product(a, d) + product(b, c)}, -1));
}

} // namespace at::native
