#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace at::native {

// One step of a recurrent layer, for the cell types whose steps differ.
enum class Recurrence { Tanh, Relu, Lstm, Gru };

// The weights of one layer and direction. Absent biases and projections are undefined.
struct RecurrentWeights {
  Tensor w_ih;
  Tensor w_hh;
  Tensor b_ih;
  Tensor b_hh;
  Tensor w_hr; // projection of an LSTM's hidden state
};

// The hidden state and, for an LSTM, the cell state.
struct RecurrentState {
  Tensor hidden;
  Tensor cell;
};

// The contribution of the input to the gates, for any number of steps at once.
Tensor input_gates(const Tensor& input, const RecurrentWeights& weights);

RecurrentState recurrent_step(
    Recurrence kind, const Tensor& input_gates, const RecurrentState& state,
    const RecurrentWeights& weights);

// Runs a layer over a padded sequence [steps, batch, features], step by step. Returns its output
// and the state after the last step.
Tensor recurrent_layer_by_steps(
    Recurrence kind, const Tensor& input, RecurrentState& state, const RecurrentWeights& weights,
    bool reverse);

} // namespace at::native
