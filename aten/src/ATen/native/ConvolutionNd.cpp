#include <ATen/native/ConvArguments.h>
#include <ATen/ops/_convolution_mode.h>
#include <ATen/ops/_convolution_mode_native.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv1d_native.h>
#include <ATen/ops/conv2d_native.h>
#include <ATen/ops/conv3d_native.h>
#include <ATen/ops/conv_transpose1d_native.h>
#include <ATen/ops/conv_transpose2d_native.h>
#include <ATen/ops/conv_transpose3d_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

namespace {

// Calls f on the input, with a temporary batch dimension if the input is unbatched.
template <typename F>
Tensor batched(const Tensor& input, int64_t dims, const char* name, const F& f) {
  TORCH_CHECK(
      input.dim() == dims + 1 || input.dim() == dims + 2, "Expected ", dims + 1,
      "D (unbatched) or ", dims + 2, "D (batched) input to ", name,
      ", but got input of size: ", input.sizes());
  return input.dim() == dims + 2 ? f(input) : at::squeeze(f(at::unsqueeze(input, 0)), 0);
}

struct Operands {
  const Tensor& weight;
  const std::optional<Tensor>& bias;
  IntArrayRef stride, dilation;
  int64_t groups;
};

Tensor conv_nd(
    const Tensor& input, int64_t dims, const char* name, const Operands& o, IntArrayRef padding) {
  const c10::DimVector zeros(static_cast<size_t>(dims), 0);
  return batched(input, dims, name, [&](const Tensor& x) {
    return at::convolution(
        x, o.weight, o.bias, o.stride, padding, o.dilation, false, zeros, o.groups);
  });
}

Tensor conv_nd(
    const Tensor& input, int64_t dims, const char* name, const Operands& o,
    c10::string_view padding) {
  return batched(input, dims, name, [&](const Tensor& x) {
    return at::_convolution_mode(x, o.weight, o.bias, o.stride, padding, o.dilation, o.groups);
  });
}

Tensor transpose_nd(
    const Tensor& input, int64_t dims, const char* name, const Operands& o, IntArrayRef padding,
    IntArrayRef output_padding) {
  return batched(input, dims, name, [&](const Tensor& x) {
    return at::convolution(
        x, o.weight, o.bias, o.stride, padding, o.dilation, true, output_padding, o.groups);
  });
}

// Padding that keeps the size; if the amount is odd, the extra row or column goes to the far side.
Tensor same_convolution(const Tensor& input, const Operands& o) {
  const int64_t dims = o.weight.dim() - 2;
  TORCH_CHECK(
      dims >= 1 && input.dim() == o.weight.dim(), "Expected ", o.weight.dim(),
      "-dimensional input for ", o.weight.dim(), "-dimensional weight", o.weight.sizes(),
      ", but got ", input.dim(), "-dimensional input of size ", input.sizes(), " instead");
  for (const int64_t step : o.stride) {
    TORCH_CHECK(step == 1, "padding='same' is not supported for strided convolutions");
  }
  const c10::DimVector dilations = expand_conv_param(o.dilation, "dilation", dims);
  c10::DimVector near(static_cast<size_t>(dims)), far(static_cast<size_t>(2 * dims), 0);
  bool uneven = false;
  for (int64_t d = 0; d < dims; ++d) {
    const auto at = static_cast<size_t>(d);
    const int64_t total = dilations[at] * (o.weight.size(d + 2) - 1);
    near[at] = total / 2;
    far[2 * static_cast<size_t>(dims - 1 - d) + 1] = total % 2;
    uneven = uneven || total % 2 != 0;
  }
  const Tensor padded = uneven ? at::constant_pad_nd(input, far, 0) : input;
  const c10::DimVector zeros(static_cast<size_t>(dims), 0);
  return at::convolution(
      padded, o.weight, o.bias, o.stride, near, o.dilation, false, zeros, o.groups);
}

} // namespace

Tensor _convolution_mode(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, c10::string_view padding, IntArrayRef dilation, int64_t groups) {
  if (padding == "same") {
    return same_convolution(input, {weight, bias, stride, dilation, groups});
  }
  TORCH_CHECK(padding == "valid", "Invalid padding string: '", std::string(padding), "'");
  const c10::DimVector zeros(static_cast<size_t>(std::max<int64_t>(weight.dim() - 2, 1)), 0);
  return at::convolution(input, weight, bias, stride, zeros, dilation, false, zeros, groups);
}

Tensor conv1d(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return conv_nd(input, 1, "conv1d", {weight, bias, stride, dilation, groups}, padding);
}

Tensor conv2d(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return conv_nd(input, 2, "conv2d", {weight, bias, stride, dilation, groups}, padding);
}

Tensor conv3d(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return conv_nd(input, 3, "conv3d", {weight, bias, stride, dilation, groups}, padding);
}

Tensor conv1d_padding(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, c10::string_view padding, IntArrayRef dilation, int64_t groups) {
  return conv_nd(input, 1, "conv1d", {weight, bias, stride, dilation, groups}, padding);
}

Tensor conv2d_padding(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, c10::string_view padding, IntArrayRef dilation, int64_t groups) {
  return conv_nd(input, 2, "conv2d", {weight, bias, stride, dilation, groups}, padding);
}

Tensor conv3d_padding(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, c10::string_view padding, IntArrayRef dilation, int64_t groups) {
  return conv_nd(input, 3, "conv3d", {weight, bias, stride, dilation, groups}, padding);
}

Tensor conv_transpose1d(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups,
    IntArrayRef dilation) {
  return transpose_nd(
      input, 1, "conv_transpose1d", {weight, bias, stride, dilation, groups}, padding,
      output_padding);
}

Tensor conv_transpose2d(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups,
    IntArrayRef dilation) {
  return transpose_nd(
      input, 2, "conv_transpose2d", {weight, bias, stride, dilation, groups}, padding,
      output_padding);
}

Tensor conv_transpose3d(
    const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding, int64_t groups,
    IntArrayRef dilation) {
  return transpose_nd(
      input, 3, "conv_transpose3d", {weight, bias, stride, dilation, groups}, padding,
      output_padding);
}

} // namespace at::native
