"""The states of recurrent layers: their shapes, checks and order in the batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


class States:
    """Mixin of layers with one state, (D num_layers, N, P). The layer defines `check_input`."""

    num_layers: int
    hidden_size: int
    proj_size: int
    batch_first: bool
    bidirectional: bool
    check_input: Callable[[Tensor, Tensor | None], None]

    def get_expected_hidden_size(
        self, input: Tensor, batch_sizes: Tensor | None
    ) -> tuple[int, int, int]:
        """Return the shape of the hidden states for an input: (D num_layers, N, P)."""
        return self._state_shape(input, batch_sizes, self.proj_size or self.hidden_size)

    def _state_shape(
        self, input: Tensor, batch_sizes: Tensor | None, size: int
    ) -> tuple[int, int, int]:
        if batch_sizes is not None:
            batch = int(batch_sizes[0])
        else:
            batch = input.size(0 if self.batch_first else 1)
        return self.num_layers * (2 if self.bidirectional else 1), batch, size

    def check_hidden_size(
        self,
        hx: Tensor,
        expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:
        """Raise a RuntimeError with the text if the states have another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raise an error if the input or the states have the wrong shape; see `check_input`."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Return the states with the batch in another order; None keeps it."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def _states(
        self,
        hx: Any,
        input: Tensor,
        batch_sizes: Tensor | None,
        unbatched: bool,
        order: Tensor | None = None,
    ) -> Any:
        """Return the initial states as the operator takes them, zeros by default; check them."""
        if hx is None:
            states = self._zero_states(input, batch_sizes)
        else:
            states = self._given_states(hx)
            self._check_state_dims(states, unbatched)
            if unbatched:
                states = _over_states(Tensor.unsqueeze, states, 1)
            states = self.permute_hidden(states, order)
        self.check_forward_args(input, states, batch_sizes)
        return states

    def _given_states(self, hx: Any) -> Any:
        return hx

    def _zero_states(self, input: Tensor, batch_sizes: Tensor | None) -> Any:
        return _zeros(self.get_expected_hidden_size(input, batch_sizes), input)

    def _check_state_dims(self, states: Any, unbatched: bool) -> None:
        dims = 2 if unbatched else 3
        single = isinstance(states, Tensor)
        found = [f"{state.dim()}-D" for state in ((states,) if single else states)]
        if all(each == f"{dims}-D" for each in found):
            return
        kind = f"{'unbatched' if unbatched else 'batched'} {dims}-D"
        if single:
            names, text = "hx", f"{found[0]} tensor"
        else:
            names, text = "hx and cx", f"({', '.join(found)}) tensors"
        raise RuntimeError(f"For {kind} input, {names} should also be {dims}-D but got {text}")

    def _final_states(self, states: Sequence[Tensor], unbatched: bool, order: Tensor | None) -> Any:
        """Return the operator's final states in the caller's batch order and shape."""
        final = states[0] if len(states) == 1 else tuple(states)
        if unbatched:
            return _over_states(Tensor.squeeze, final, 1)
        return self.permute_hidden(final, order)


class PairedStates(States):
    """Mixin of layers with a hidden state and a cell state, (D num_layers, N, hidden_size)."""

    def get_expected_cell_size(
        self, input: Tensor, batch_sizes: Tensor | None
    ) -> tuple[int, int, int]:
        """Return the shape of the cell states for an input: (D num_layers, N, hidden_size)."""
        return self._state_shape(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raise an error if the input, the hidden or the cell states have the wrong shape."""
        self.check_input(input, batch_sizes)
        shapes = (
            self.get_expected_hidden_size(input, batch_sizes),
            self.get_expected_cell_size(input, batch_sizes),
        )
        for i, shape in enumerate(shapes):
            self.check_hidden_size(hidden[i], shape, f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Return hidden and cell states with the batch in another order; None keeps it."""
        if permutation is None:
            return hx
        return _over_states(Tensor.index_select, hx, 1, permutation)

    def _given_states(self, hx: Any) -> Any:
        return hx[0], hx[1]

    def _zero_states(self, input: Tensor, batch_sizes: Tensor | None) -> Any:
        cell = _zeros(self.get_expected_cell_size(input, batch_sizes), input)
        return super()._zero_states(input, batch_sizes), cell


def _zeros(shape: tuple[int, ...], input: Tensor) -> Tensor:
    return torch.zeros(shape, dtype=input.dtype, device=input.device)


def _over_states(function: Callable[..., Tensor], states: Any, *args: Any) -> Any:
    """Return the function of the states: a tensor, or the tensors of an LSTM."""
    if isinstance(states, Tensor):
        return function(states, *args)
    return tuple(function(state, *args) for state in states)
