#include <ATen/TensorOperators.h>
#include <ATen/native/ConvArguments.h>
#include <ATen/native/ConvProducts.h>
#include <ATen/ops/_convolution_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/reshape.h>

namespace at::native {

namespace {

// Unsqueezed for broadcasting along the channels.
Tensor with_bias(const Tensor& output, const Tensor& bias) {
  c10::DimVector sizes(static_cast<size_t>(output.dim()), 1);
  sizes[1] = -1;
  return bias.defined() ? output + at::reshape(bias, sizes) : output;
}

} // namespace

Tensor convolution(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
    IntArrayRef output_padding, int64_t groups) {
  const ConvArguments a = conv_arguments(
      input, weight, bias.value_or(Tensor()), stride, padding, dilation, transposed, output_padding,
      groups);
  if (input.is_meta() || c10::multiply_integers(a.output_sizes) == 0) {
    return at::empty(a.output_sizes, input.options(), a.memory_format());
  }
  const ScalarType dtype = input.scalar_type();
  const auto product = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
    return transposed ? conv_adjoint(a, x, w, b, a.output_sizes)
                      : conv_forward(a, x, w, b, a.output_sizes);
  };
  Tensor output;
  if (at::isComplexType(dtype)) {
    output = complex_product(
        input, weight, false, [&](const Tensor& x, const Tensor& w) { return product(x, w, {}); });
    output = with_bias(output, a.bias);
  } else {
    output = product(input, weight, a.bias);
  }
  return output.contiguous(a.memory_format());
}

Tensor _convolution(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
    IntArrayRef output_padding, int64_t groups, bool /*benchmark*/, bool /*deterministic*/,
    bool /*cudnn_enabled*/, bool /*allow_tf32*/) {
  return at::convolution(
      input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);
}

} // namespace at::native
