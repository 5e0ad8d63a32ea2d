// The cells of recurrent networks, composed of differentiable operators.

#include <ATen/native/RNNCells.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/chunk.h>
#include <ATen/ops/gru_cell_native.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/lstm_cell_native.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rnn_relu_cell_native.h>
#include <ATen/ops/rnn_tanh_cell_native.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/t.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/unbind.h>

namespace at::native {

namespace {

std::optional<Tensor> optional_of(const Tensor& tensor) {
  return tensor.defined() ? std::optional<Tensor>(tensor) : std::nullopt;
}

// Hochreiter and Schmidhuber (1997) with the forget gate of Gers et al. (2000); gates in the order
// input, forget, cell, output.
RecurrentState lstm_step(
    const Tensor& gates, const RecurrentState& state, const RecurrentWeights& weights) {
  const std::vector<Tensor> parts = at::chunk(gates, 4, 1);
  TORCH_CHECK(parts.size() == 4, "expected weights with four gates");
  const Tensor cell =
      at::sigmoid(parts[1]) * state.cell + at::sigmoid(parts[0]) * at::tanh(parts[2]);
  const Tensor hidden = at::sigmoid(parts[3]) * at::tanh(cell);
  return {weights.w_hr.defined() ? at::matmul(hidden, at::t(weights.w_hr)) : hidden, cell};
}

// Cho et al., arXiv:1406.1078, with the reset gate applied after the product; gates in the order
// reset, update, new.
RecurrentState gru_step(
    const Tensor& from_input, const Tensor& from_hidden, const RecurrentState& state) {
  const std::vector<Tensor> x = at::chunk(from_input, 3, 1), h = at::chunk(from_hidden, 3, 1);
  TORCH_CHECK(x.size() == 3 && h.size() == 3, "expected weights with three gates");
  const Tensor reset = at::sigmoid(x[0] + h[0]);
  const Tensor update = at::sigmoid(x[1] + h[1]);
  const Tensor fresh = at::tanh(x[2] + reset * h[2]);
  return {(state.hidden - fresh) * update + fresh, {}};
}

void check_rows(const char* name, const Tensor& weight, int64_t gates, int64_t hidden_size) {
  TORCH_CHECK(
      weight.size(0) == gates * hidden_size, name, " first dim must be ", gates,
      " * hidden_size = ", gates * hidden_size, ", but got ", weight.size(0));
}

void check_state(const char* name, const Tensor& state, const Tensor& input, const Tensor& w_hh) {
  TORCH_CHECK(
      input.size(0) == state.size(0), "Input batch size ", input.size(0), " doesn't match ", name,
      " batch size ", state.size(0));
  TORCH_CHECK(
      state.size(1) == w_hh.size(1), name, " has inconsistent hidden_size: got ", state.size(1),
      ", expected ", w_hh.size(1));
}

void check_cell(
    const Tensor& input, const RecurrentState& state, const Tensor& w_ih, const Tensor& w_hh,
    int64_t gates) {
  check_rows("weight_ih", w_ih, gates, w_hh.size(1));
  check_rows("weight_hh", w_hh, gates, w_hh.size(1));
  TORCH_CHECK(
      input.size(1) == w_ih.size(1), "input has inconsistent input_size: got ", input.size(1),
      " expected ", w_ih.size(1));
  check_state("hidden0", state.hidden, input, w_hh);
  if (state.cell.defined()) {
    check_state("hidden1", state.cell, input, w_hh);
  }
}

RecurrentState run_cell(
    Recurrence kind, const Tensor& input, const RecurrentState& state, const Tensor& w_ih,
    const Tensor& w_hh, const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
  const int64_t gates = kind == Recurrence::Lstm ? 4 : kind == Recurrence::Gru ? 3 : 1;
  check_cell(input, state, w_ih, w_hh, gates);
  const RecurrentWeights weights{w_ih, w_hh, b_ih.value_or(Tensor()), b_hh.value_or(Tensor()), {}};
  return recurrent_step(kind, input_gates(input, weights), state, weights);
}

} // namespace

Tensor input_gates(const Tensor& input, const RecurrentWeights& weights) {
  return at::linear(input, weights.w_ih, optional_of(weights.b_ih));
}

RecurrentState recurrent_step(
    Recurrence kind, const Tensor& from_input, const RecurrentState& state,
    const RecurrentWeights& weights) {
  TORCH_CHECK(
      !c10::isIntegralType(from_input.scalar_type(), /*includeBool=*/true) ||
          kind == Recurrence::Tanh || kind == Recurrence::Relu,
      "result type Float can't be cast to the desired output type ", from_input.scalar_type());
  const Tensor from_hidden = at::linear(state.hidden, weights.w_hh, optional_of(weights.b_hh));
  switch (kind) {
    case Recurrence::Tanh:
      return {at::tanh(from_input + from_hidden), {}};
    case Recurrence::Relu:
      return {at::relu(from_input + from_hidden), {}};
    case Recurrence::Lstm:
      return lstm_step(from_input + from_hidden, state, weights);
    case Recurrence::Gru:
      return gru_step(from_input, from_hidden, state);
  }
  return {};
}

Tensor recurrent_layer_by_steps(
    Recurrence kind, const Tensor& input, RecurrentState& state, const RecurrentWeights& weights,
    bool reverse) {
  const std::vector<Tensor> steps = at::unbind(input_gates(input, weights), 0);
  std::vector<Tensor> outputs(steps.size());
  const auto count = static_cast<int64_t>(steps.size());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t t = reverse ? count - 1 - i : i;
    state = recurrent_step(kind, steps[t], state, weights);
    outputs[t] = state.hidden;
  }
  return at::stack(outputs, 0);
}

std::tuple<Tensor, Tensor> lstm_cell(
    const Tensor& input, TensorList hx, const Tensor& w_ih, const Tensor& w_hh,
    const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
  TORCH_CHECK(hx.size() == 2, "lstm_cell expects two hidden states");
  const RecurrentState state =
      run_cell(Recurrence::Lstm, input, {hx[0], hx[1]}, w_ih, w_hh, b_ih, b_hh);
  return {state.hidden, state.cell};
}

Tensor gru_cell(
    const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
    const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
  return run_cell(Recurrence::Gru, input, {hx, {}}, w_ih, w_hh, b_ih, b_hh).hidden;
}

Tensor rnn_tanh_cell(
    const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
    const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
  return run_cell(Recurrence::Tanh, input, {hx, {}}, w_ih, w_hh, b_ih, b_hh).hidden;
}

Tensor rnn_relu_cell(
    const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
    const std::optional<Tensor>& b_ih, const std::optional<Tensor>& b_hh) {
  return run_cell(Recurrence::Relu, input, {hx, {}}, w_ih, w_hh, b_ih, b_hh).hidden;
}

} // namespace at::native
