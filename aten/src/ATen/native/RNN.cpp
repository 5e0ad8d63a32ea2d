// Recurrent layers over padded and packed sequences.

#include <ATen/native/RNNCells.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/_lstm_layer.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/gru_native.h>
#include <ATen/ops/lstm_native.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/rnn_relu_native.h>
#include <ATen/ops/rnn_tanh_native.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unbind.h>

#include <algorithm>

namespace at::native {

namespace {

struct Network {
  Recurrence kind;
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train;
  bool bidirectional;

  int64_t directions() const { return bidirectional ? 2 : 1; }
};

// The steps of a sequence: all with the same batch if padded, with shrinking batches if packed.
struct Sequence {
  Tensor data; // [steps, batch, features], or [all elements, features] when packed
  std::vector<int64_t> batch_sizes;

  bool packed() const { return !batch_sizes.empty(); }
};

struct LayerResult {
  Tensor output;
  RecurrentState state;
};

// ---- one layer in one direction

RecurrentState first_rows(const RecurrentState& state, int64_t begin, int64_t count) {
  return {
      at::narrow(state.hidden, 0, begin, count),
      state.cell.defined() ? at::narrow(state.cell, 0, begin, count) : Tensor()};
}

RecurrentState joined(const std::vector<RecurrentState>& parts) {
  std::vector<Tensor> hidden, cell;
  for (const RecurrentState& part : parts) {
    hidden.push_back(part.hidden);
    cell.push_back(part.cell);
  }
  return {at::cat(hidden, 0), cell[0].defined() ? at::cat(cell, 0) : Tensor()};
}

// The longest sequences come first, so sequences that end are removed at the back of the batch.
LayerResult run_packed(
    Recurrence kind, const Sequence& sequence, RecurrentState state,
    const RecurrentWeights& weights) {
  const std::vector<Tensor> steps =
      at::split_with_sizes(input_gates(sequence.data, weights), sequence.batch_sizes, 0);
  std::vector<Tensor> outputs;
  std::vector<RecurrentState> ended;
  int64_t last = sequence.batch_sizes.front();
  for (size_t t = 0; t < steps.size(); ++t) {
    const int64_t now = sequence.batch_sizes[t];
    if (now < last) {
      ended.push_back(first_rows(state, now, last - now));
      state = first_rows(state, 0, now);
      last = now;
    }
    state = recurrent_step(kind, steps[t], state, weights);
    outputs.push_back(state.hidden);
  }
  ended.push_back(state);
  std::reverse(ended.begin(), ended.end());
  return {at::cat(outputs, 0), joined(ended)};
}

// In reverse, shorter sequences are appended at the back of the batch with their initial states.
LayerResult run_packed_reverse(
    Recurrence kind, const Sequence& sequence, const RecurrentState& first,
    const RecurrentWeights& weights) {
  const std::vector<Tensor> steps =
      at::split_with_sizes(input_gates(sequence.data, weights), sequence.batch_sizes, 0);
  std::vector<Tensor> outputs(steps.size());
  int64_t last = sequence.batch_sizes.back();
  RecurrentState state = first_rows(first, 0, last);
  for (size_t t = steps.size(); t-- > 0;) {
    const int64_t now = sequence.batch_sizes[t];
    if (now > last) {
      state = joined({state, first_rows(first, last, now - last)});
      last = now;
    }
    state = recurrent_step(kind, steps[t], state, weights);
    outputs[t] = state.hidden;
  }
  return {at::cat(outputs, 0), state};
}

// Whether the operator for whole layers applies: float and double on CPU, without projection.
bool has_layer_operator(
    Recurrence kind, const Sequence& sequence, const RecurrentWeights& weights) {
  const ScalarType dtype = sequence.data.scalar_type();
  return kind == Recurrence::Lstm && !sequence.packed() && !weights.w_hr.defined() &&
      (sequence.data.is_cpu() || sequence.data.is_meta()) &&
      (dtype == kFloat || dtype == kDouble) && weights.w_ih.scalar_type() == dtype &&
      sequence.data.size(1) > 0;
}

LayerResult run_layer(
    Recurrence kind, const Sequence& sequence, const RecurrentState& state,
    const RecurrentWeights& weights, bool reverse) {
  if (has_layer_operator(kind, sequence, weights)) {
    auto [output, hidden, cell, gates, cells] = at::_lstm_layer(
        sequence.data, state.hidden, state.cell, weights.w_ih, weights.w_hh, weights.b_ih,
        weights.b_hh, reverse);
    return {std::move(output), {std::move(hidden), std::move(cell)}};
  }
  if (!sequence.packed()) {
    RecurrentState last = state;
    Tensor output = recurrent_layer_by_steps(kind, sequence.data, last, weights, reverse);
    return {std::move(output), std::move(last)};
  }
  return reverse ? run_packed_reverse(kind, sequence, state, weights)
                 : run_packed(kind, sequence, state, weights);
}

// ---- all layers

std::vector<RecurrentWeights> gather_weights(
    const Network& net, TensorList params, bool projected) {
  const size_t each = (net.has_biases ? 4 : 2) + (projected ? 1 : 0);
  const auto count = static_cast<size_t>(net.num_layers * net.directions());
  TORCH_CHECK(
      params.size() == each * count, "got an incorrect number of RNN parameters: expected ",
      each * count, ", got ", params.size());
  std::vector<RecurrentWeights> result;
  for (size_t i = 0; i < count; ++i) {
    const Tensor* p = params.data() + i * each;
    RecurrentWeights weights{p[0], p[1], {}, {}, {}};
    if (net.has_biases) {
      weights.b_ih = p[2];
      weights.b_hh = p[3];
    }
    if (projected) {
      weights.w_hr = p[each - 1];
    }
    result.push_back(std::move(weights));
  }
  return result;
}

struct NetworkResult {
  Tensor output;
  Tensor hidden; // [layers * directions, batch, features]
  Tensor cell;
};

NetworkResult run_network(
    const Network& net, Sequence sequence, const Tensor& hidden, const Tensor& cell,
    TensorList params) {
  const bool projected = cell.defined() && hidden.size(-1) != cell.size(-1);
  const std::vector<RecurrentWeights> weights = gather_weights(net, params, projected);
  const std::vector<Tensor> hiddens = at::unbind(hidden, 0);
  const std::vector<Tensor> cells = cell.defined() ? at::unbind(cell, 0) : std::vector<Tensor>();
  TORCH_CHECK(
      hiddens.size() == weights.size(), "Expected more hidden states in stacked_rnn: expected ",
      weights.size(), ", got ", hiddens.size());
  std::vector<Tensor> last_hidden, last_cell;
  for (int64_t layer = 0; layer < net.num_layers; ++layer) {
    std::vector<Tensor> outputs;
    for (int64_t direction = 0; direction < net.directions(); ++direction) {
      const int64_t i = layer * net.directions() + direction;
      const RecurrentState first{hiddens[i], cells.empty() ? Tensor() : cells[i]};
      LayerResult result = run_layer(net.kind, sequence, first, weights[i], direction == 1);
      outputs.push_back(std::move(result.output));
      last_hidden.push_back(std::move(result.state.hidden));
      last_cell.push_back(std::move(result.state.cell));
    }
    sequence.data = net.bidirectional ? at::cat(outputs, -1) : outputs[0];
    if (net.dropout != 0 && net.train && layer + 1 < net.num_layers) {
      sequence.data = at::dropout(sequence.data, net.dropout, /*train=*/true);
    }
  }
  return {
      sequence.data, at::stack(last_hidden, 0),
      cell.defined() ? at::stack(last_cell, 0) : Tensor()};
}

NetworkResult run_on_batch(
    const Network& net, const Tensor& input, const Tensor& hidden, const Tensor& cell,
    TensorList params, bool batch_first) {
  const Tensor by_step = batch_first ? at::transpose(input, 0, 1) : input;
  TORCH_CHECK(by_step.size(0) > 0, "Expected sequence length to be larger than 0 in RNN");
  NetworkResult result = run_network(net, {by_step, {}}, hidden, cell, params);
  if (batch_first) {
    result.output = at::transpose(result.output, 0, 1);
  }
  return result;
}

NetworkResult run_on_packed(
    const Network& net, const Tensor& data, const Tensor& batch_sizes, const Tensor& hidden,
    const Tensor& cell, TensorList params) {
  TORCH_CHECK(
      batch_sizes.device().is_cpu() && batch_sizes.dim() == 1 &&
          batch_sizes.scalar_type() == kLong && batch_sizes.numel() > 0,
      "batch_sizes must be a CPU vector of int64 with at least one step");
  TORCH_CHECK(
      !batch_sizes.unsafeGetTensorImpl()->is_python_dispatch(),
      "batch_sizes must be in memory, but they are in a tensor subclass");
  const Tensor sizes = batch_sizes.contiguous();
  const int64_t* first = sizes.const_data_ptr<int64_t>();
  return run_network(net, {data, {first, first + sizes.numel()}}, hidden, cell, params);
}

} // namespace

// ---- operators

std::tuple<Tensor, Tensor, Tensor> lstm(
    const Tensor& input, TensorList hx, TensorList params, bool has_biases, int64_t num_layers,
    double dropout, bool train, bool bidirectional, bool batch_first) {
  TORCH_CHECK(hx.size() == 2, "lstm expects two hidden states");
  const Network net{Recurrence::Lstm, has_biases, num_layers, dropout, train, bidirectional};
  NetworkResult result = run_on_batch(net, input, hx[0], hx[1], params, batch_first);
  return {result.output, result.hidden, result.cell};
}

std::tuple<Tensor, Tensor, Tensor> lstm(
    const Tensor& data, const Tensor& batch_sizes, TensorList hx, TensorList params,
    bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
  TORCH_CHECK(hx.size() == 2, "lstm expects two hidden states");
  const Network net{Recurrence::Lstm, has_biases, num_layers, dropout, train, bidirectional};
  NetworkResult result = run_on_packed(net, data, batch_sizes, hx[0], hx[1], params);
  return {result.output, result.hidden, result.cell};
}

#define AT_RECURRENT_OPERATOR(name, kind)                                                     \
  std::tuple<Tensor, Tensor> name(                                                            \
      const Tensor& input, const Tensor& hx, TensorList params, bool has_biases,              \
      int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) { \
    const Network net{kind, has_biases, num_layers, dropout, train, bidirectional};           \
    NetworkResult result = run_on_batch(net, input, hx, Tensor(), params, batch_first);       \
    return {result.output, result.hidden};                                                    \
  }                                                                                           \
  std::tuple<Tensor, Tensor> name(                                                            \
      const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params,     \
      bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {  \
    const Network net{kind, has_biases, num_layers, dropout, train, bidirectional};           \
    NetworkResult result = run_on_packed(net, data, batch_sizes, hx, Tensor(), params);       \
    return {result.output, result.hidden};                                                    \
  }
AT_RECURRENT_OPERATOR(gru, Recurrence::Gru)
AT_RECURRENT_OPERATOR(rnn_tanh, Recurrence::Tanh)
AT_RECURRENT_OPERATOR(rnn_relu, Recurrence::Relu)
#undef AT_RECURRENT_OPERATOR

} // namespace at::native
