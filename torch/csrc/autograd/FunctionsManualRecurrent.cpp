#include <torch/csrc/autograd/FunctionsManual.h>

#include <ATen/native/RNNCells.h>
#include <ATen/ops/_lstm_layer_backward.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

namespace torch::autograd::generated::details {

using LstmGradients = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor>;

namespace {

// Differentiable gradients, computed through the layer built from differentiable operators.
LstmGradients through_steps(
    TensorList grads, const std::array<Tensor, 7>& arguments, bool reverse) {
  const auto& [input, hx, cx, w_ih, w_hh, b_ih, b_hh] = arguments;
  at::native::RecurrentState state{hx, cx};
  const Tensor output = at::native::recurrent_layer_by_steps(
      at::native::Recurrence::Lstm, input, state, {w_ih, w_hh, b_ih, b_hh, {}}, reverse);
  const Tensor results[] = {output, state.hidden, state.cell};
  std::vector<Tensor> outputs, upstream, inputs;
  for (size_t i = 0; i < 3; ++i) {
    if (grads[i].defined()) {
      outputs.push_back(results[i]);
      upstream.push_back(grads[i]);
    }
  }
  for (const Tensor& argument : arguments) {
    if (argument.defined() && argument.requires_grad()) {
      inputs.push_back(argument);
    }
  }
  const std::vector<Tensor> found = torch::autograd::grad(
      outputs, inputs, upstream, /*retain_graph=*/true, /*create_graph=*/true,
      /*allow_unused=*/true);
  std::array<Tensor, 7> result;
  for (size_t i = 0, next = 0; i < arguments.size(); ++i) {
    if (arguments[i].defined() && arguments[i].requires_grad()) {
      result[i] = found[next++];
    }
  }
  return std::tuple_cat(result);
}

} // namespace

LstmGradients lstm_layer_backward(
    TensorList grads, const Tensor& input, const Tensor& hx, const Tensor& cx, const Tensor& w_ih,
    const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh, const Tensor& output,
    const Tensor& gates, const Tensor& cells, bool reverse) {
  if (at::GradMode::is_enabled()) {
    return through_steps(grads, {input, hx, cx, w_ih, w_hh, b_ih, b_hh}, reverse);
  }
  const auto [grad_input, grad_hx, grad_cx, grad_w_ih, grad_w_hh, grad_bias] =
      at::_lstm_layer_backward(
          grads[0], grads[1], grads[2], input, hx, cx, w_ih, w_hh, output, gates, cells, reverse);
  const Tensor bias = b_ih.defined() ? grad_bias : Tensor();
  return {grad_input, grad_hx, grad_cx, grad_w_ih, grad_w_hh, bias, bias};
}

} // namespace torch::autograd::generated::details
