#include <ATen/TensorOperators.h>
#include <ATen/native/ConvArguments.h>
#include <ATen/native/ConvProducts.h>
#include <ATen/native/TileConv.h>
#include <ATen/ops/_convolution_double_backward_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/convolution_backward_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sum.h>

namespace at::native {

namespace {

Tensor grad_of_input(const ConvArguments& a, const Tensor& grad) {
  const auto product = [&](const Tensor& g, const Tensor& w) {
    return a.transposed ? conv_forward(a, g, w, {}, a.input.sizes())
                        : conv_adjoint(a, g, w, {}, a.input.sizes());
  };
  return grad.is_complex() ? complex_product(grad, a.weight, true, product)
                           : product(grad, a.weight);
}

Tensor grad_of_weight(const ConvArguments& a, const Tensor& grad) {
  const auto product = [&](const Tensor& g, const Tensor& x) {
    return a.transposed ? conv_weight(a, g, x) : conv_weight(a, x, g);
  };
  return grad.is_complex() ? complex_product(grad, a.input, true, product) : product(grad, a.input);
}

c10::DimVector all_but_channels(const Tensor& tensor) {
  c10::DimVector dims = {0};
  for (int64_t d = 2; d < tensor.dim(); ++d) {
    dims.push_back(d);
  }
  return dims;
}

} // namespace

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight,
    OptionalIntArrayRef /*bias_sizes*/, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups,
    std::array<bool, 3> output_mask) {
  const ConvArguments a = conv_arguments(
      input, weight, {}, stride, padding, dilation, transposed, output_padding, groups);
  TORCH_CHECK(
      grad_output.sizes() == IntArrayRef(a.output_sizes), "Expected grad_output to have shape ",
      IntArrayRef(a.output_sizes), ", but got ", grad_output.sizes());
  TORCH_CHECK_NOT_IMPLEMENTED(
      at::isFloatingType(input.scalar_type()) || input.is_complex() || grad_output.numel() == 0,
      "\"convolution_backward\" not implemented for '", input.scalar_type(), "'");
  TORCH_CHECK(
      grad_output.scalar_type() == input.scalar_type(),
      "convolution_backward: grad_output has "
      "dtype ",
      grad_output.scalar_type(), ", but input has dtype ", input.scalar_type());
  const MemoryFormat format = a.memory_format();
  std::tuple<Tensor, Tensor, Tensor> grads;
  auto& [grad_input, grad_weight, grad_bias] = grads;
  if (input.is_meta()) {
    if (output_mask[0]) {
      grad_input = at::empty(input.sizes(), input.options(), format);
    }
    if (output_mask[1]) {
      grad_weight = at::empty(weight.sizes(), weight.options(), format);
    }
  } else {
    const bool both = output_mask[0] && output_mask[1];
    const Tensor grad = both ? in_tile_order(a, grad_output) : grad_output;
    if (output_mask[0]) {
      grad_input = grad_of_input(a, grad).contiguous(format);
    }
    if (output_mask[1]) {
      grad_weight = grad_of_weight(a, grad).contiguous(format);
    }
  }
  if (output_mask[2]) {
    grad_bias = at::sum(
        grad_output, all_but_channels(grad_output), /*keepdim=*/false, grad_output.scalar_type());
  }
  return grads;
}

// The output is bilinear in input and weight, so each of their gradients is bilinear in grad_output
// and the other one.
std::tuple<Tensor, Tensor, Tensor> _convolution_double_backward(
    const std::optional<Tensor>& ggI, const std::optional<Tensor>& ggW,
    const std::optional<Tensor>& ggb, const Tensor& grad, const Tensor& weight, const Tensor& self,
    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
    IntArrayRef output_padding, int64_t groups, std::array<bool, 3> output_mask) {
  const auto given = [](const std::optional<Tensor>& t) { return t.has_value() && t->defined(); };
  const auto product = [&](const Tensor& x, const Tensor& w) {
    return at::convolution(
        x, w, std::nullopt, stride, padding, dilation, transposed, output_padding, groups);
  };
  const auto gradient = [&](const Tensor& x, const Tensor& w, std::array<bool, 3> mask) {
    return at::convolution_backward(
        grad, x, w, std::nullopt, stride, padding, dilation, transposed, output_padding, groups,
        mask);
  };
  std::tuple<Tensor, Tensor, Tensor> grads;
  auto& [grad_grad, grad_self, grad_weight] = grads;
  const auto add = [](Tensor& sum, const Tensor& term) { sum = sum.defined() ? sum + term : term; };
  if (output_mask[0]) {
    if (given(ggI)) {
      add(grad_grad, product(*ggI, weight));
    }
    if (given(ggW)) {
      add(grad_grad, product(self, *ggW));
    }
    if (given(ggb)) {
      c10::DimVector sizes(static_cast<size_t>(grad.dim()), 1);
      sizes[1] = -1;
      add(grad_grad, at::methods::expand(at::reshape(*ggb, sizes), grad.sizes()));
    }
  }
  if (output_mask[1] && given(ggW)) {
    grad_self = std::get<0>(gradient(self, *ggW, {true, false, false}));
  }
  if (output_mask[2] && given(ggI)) {
    grad_weight = std::get<1>(gradient(*ggI, weight, {false, true, false}));
  }
  return grads;
}

} // namespace at::native
