"""Recurrent layers whose products are those of `linear_dynamic` or `linear_dynamic_fp16`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch._quantized._packed_objects import CellWeights, LinearWeights
from torch._quantized._packed_weights import linear_dynamic, linear_dynamic_fp16

Tensor = torch.Tensor
State = tuple[Tensor, ...]
Step = Callable[[Tensor, Tensor, State], State]


# ---- one step ------------------------------------------------------------------------------------
def _lstm_step(inputs: Tensor, hidden: Tensor, state: State) -> State:
    entry, keep, new, exit = (inputs + hidden).chunk(4, 1)
    cell = keep.sigmoid() * state[1] + entry.sigmoid() * new.tanh()
    return exit.sigmoid() * cell.tanh(), cell


def _gru_step(inputs: Tensor, hidden: Tensor, state: State) -> State:
    reset_in, update_in, new_in = inputs.chunk(3, 1)
    reset_hidden, update_hidden, new_hidden = hidden.chunk(3, 1)
    reset = (reset_in + reset_hidden).sigmoid()
    update = (update_in + update_hidden).sigmoid()
    new = (new_in + reset * new_hidden).tanh()
    return ((state[0] - new) * update + new,)


def _rnn_step(activation: Callable[[Tensor], Tensor]) -> Step:
    return lambda inputs, hidden, state: (activation(inputs + hidden),)


_STEPS: dict[str, Step] = {
    "LSTM": _lstm_step,
    "GRU": _gru_step,
    "RNN_TANH": _rnn_step(torch.tanh),
    "RNN_RELU": _rnn_step(torch.relu),
}


# ---- layers --------------------------------------------------------------------------------------
def _product(is_integer: bool, reduce_range: bool) -> Callable[[Tensor, LinearWeights], Tensor]:
    if is_integer:
        return partial(linear_dynamic, reduce_range=reduce_range)
    return linear_dynamic_fp16


def _run(
    step: Step, data: Tensor, sizes: list[int], weights: CellWeights, state: State, backward: bool
) -> tuple[Tensor, State]:
    """Run one direction of a layer over the rows of all steps.

    Args:
        step: The arithmetic of the cell.
        data: The inputs of all steps, (sum(sizes), features).
        sizes: The number of sequences at each step, which never increases.
        weights: The weights.
        state: The initial states, (sequences, size) each.
        backward: Whether to begin at the last step.
    """
    product = _product(weights.is_integer, weights.reduce_range)
    inputs = product(data, weights.input).split(sizes)
    outputs: list[Any] = [None] * len(sizes)
    order = range(len(sizes))
    for time in reversed(order) if backward else order:
        now = tuple(part[: sizes[time]] for part in state)
        new = step(inputs[time], product(now[0], weights.hidden), now)
        outputs[time] = new[0]
        state = tuple(
            torch.cat([part, rest[sizes[time] :]]) for part, rest in zip(new, state, strict=True)
        )
    return torch.cat(outputs), state


def recurrent(
    mode: str,
    data: Tensor,
    sizes: list[int],
    states: State,
    weights: Sequence[CellWeights],
    bidirectional: bool,
    dropout: float,
) -> tuple[Tensor, State]:
    """Run stacked layers.

    Args:
        mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
        data: The inputs of all steps, (sum(sizes), features).
        sizes: The number of sequences at each step, which never increases.
        states: The initial states of all layers and directions, (layers, sequences, size) each.
        weights: The weights of each layer and direction.
        bidirectional: Whether each layer also runs backward.
        dropout: The probability of dropout between layers.

    Returns:
        The outputs of the last layer, (sum(sizes), size), and the final states.
    """
    directions = 2 if bidirectional else 1
    final: list[State] = []
    with torch.no_grad():
        for first in range(0, len(weights), directions):
            if first and dropout:
                data = F.dropout(data, dropout, True)
            outputs = []
            for index in range(first, first + directions):
                state = tuple(part[index] for part in states)
                backward = index != first
                found, state = _run(_STEPS[mode], data, sizes, weights[index], state, backward)
                outputs.append(found)
                final.append(state)
            data = torch.cat(outputs, 1)
    return data, tuple(torch.stack(parts) for parts in zip(*final, strict=True))


# ---- operators -----------------------------------------------------------------------------------
def make_quantized_cell_params_dynamic(
    w_ih: LinearWeights,
    w_hh: LinearWeights,
    bias_ih: Tensor,
    bias_hh: Tensor,
    reduce_range: bool = False,
) -> CellWeights:
    """Return the weights of a recurrent layer of integers."""
    return CellWeights(w_ih, w_hh, (bias_ih, bias_hh), reduce_range)


def make_quantized_cell_params_fp16(w_ih: LinearWeights, w_hh: LinearWeights) -> CellWeights:
    """Return the weights of a recurrent layer of float16."""
    return CellWeights(w_ih, w_hh)


def _cell(mode: str) -> Callable[..., Any]:
    def operator(
        input: Tensor,
        hx: Any,
        w_ih: LinearWeights,
        w_hh: LinearWeights,
        b_ih: Tensor | None = None,
        b_hh: Tensor | None = None,
    ) -> Any:
        state = tuple(hx) if mode == "LSTM" else (hx,)
        product = _product(w_ih.weight.is_quantized, reduce_range=True)
        with torch.no_grad():
            found = _STEPS[mode](product(input, w_ih), product(state[0], w_hh), state)
        return found if mode == "LSTM" else found[0]

    operator.__doc__ = f"Return the states of one step of a cell: {mode}."
    return operator


OPERATORS: dict[str, Callable[..., Any]] = {
    "make_quantized_cell_params_dynamic": make_quantized_cell_params_dynamic,
    "make_quantized_cell_params_fp16": make_quantized_cell_params_fp16,
    "quantized_gru_cell_dynamic": _cell("GRU"),
    "quantized_lstm_cell_dynamic": _cell("LSTM"),
    "quantized_rnn_relu_cell_dynamic": _cell("RNN_RELU"),
    "quantized_rnn_tanh_cell_dynamic": _cell("RNN_TANH"),
}
