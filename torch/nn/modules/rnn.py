"""Recurrent layers."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any

import torch
from torch import Tensor
from torch.nn import init
from torch.nn.modules import _recurrent_states
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter
from torch.nn.utils.rnn import PackedSequence

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_OPERATORS = {
    "LSTM": torch.lstm,
    "GRU": torch.gru,
    "RNN_TANH": torch.rnn_tanh,
    "RNN_RELU": torch.rnn_relu,
}


def _init_uniform(module: Module, hidden_size: int) -> None:
    """Draw every parameter uniformly between -k and k, where k = 1 / sqrt(hidden_size)."""
    bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


class RNNBase(_recurrent_states.States, Module):
    """Base class of the recurrent layers: their parameters and their call.

    Args:
        mode: ``RNN_TANH``, ``RNN_RELU``, ``GRU`` or ``LSTM``.
        input_size: Size of each input vector.
        hidden_size: Size H of the hidden state.
        num_layers: Number of stacked layers.
        bias: If False, leave out the biases.
        batch_first: Whether the batch dimension of input and output comes first.
        dropout: Probability of dropout between the layers in training.
        bidirectional: If True, also run each layer backward and concatenate the outputs.
        proj_size: Size to project the hidden state of an LSTM to, or 0.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Raises:
        ValueError: If the mode is unknown or a setting is outside its range.
        TypeError: If `hidden_size` is not an integer.

    Example:
        >>> layer = nn.RNNBase("GRU", input_size=3, hidden_size=4)
        >>> [tuple(weight.shape) for weight in layer.all_weights[0]]
        [(12, 3), (12, 4), (12,), (12,)]
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        for name, value in (("bias", bias), ("batch_first", batch_first)):
            if not isinstance(value, bool):
                raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
        _check_sizes(mode, input_size, hidden_size, num_layers, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights: list[list[str]] = []
        options = {"device": device, "dtype": dtype}
        directions = 2 if bidirectional else 1
        gates = _GATES[mode] * hidden_size
        out_size = proj_size or hidden_size
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else out_size * directions
            for direction in range(directions):
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                shapes: dict[str, tuple[int, ...]] = {
                    f"weight_ih{suffix}": (gates, inputs),
                    f"weight_hh{suffix}": (gates, out_size),
                }
                if bias:
                    shapes |= {f"bias_ih{suffix}": (gates,), f"bias_hh{suffix}": (gates,)}
                if proj_size:
                    shapes[f"weight_hr{suffix}"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    setattr(self, name, Parameter(torch.empty(shape, **options)))
                self._all_weights.append(list(shapes))
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """Parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Parameter]:
        """Parameters of all layers and directions in one list."""
        return [getattr(self, name) for names in self._all_weights for name in names]

    def __getstate__(self) -> dict[str, Any]:
        names = [name for names in self._all_weights for name in names]
        # PyTorch's layers have these lists as attributes.
        return {**vars(self), "_flat_weights_names": names, "_flat_weights": self._flat_weights}

    def __setstate__(self, state: dict[str, Any]) -> None:
        lists = ("_flat_weights_names", "_flat_weights")
        super().__setstate__({name: value for name, value in state.items() if name not in lists})

    def reset_parameters(self) -> None:
        """Draw every parameter uniformly between -k and k, where k = 1 / sqrt(hidden_size)."""
        _init_uniform(self, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Do nothing: the CPU kernels do not need the weights in one block of memory."""

    def extra_repr(self) -> str:
        """Return the sizes, and the settings that differ from the defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text

    # ---- checks
    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raise an error if the input has the wrong dtype, number of dimensions or size.

        Raises:
            ValueError: If its dtype is not that of the weights, outside of autocast.
            RuntimeError: If dimensions do not match.
        """
        weight = self._flat_weights[0]
        if input.dtype != weight.dtype and not torch.is_autocast_enabled(input.device.type):
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). "
                f"Convert input: input.to({weight.dtype}), or convert model: "
                f"model.to({input.dtype})"
            )
        expected = 2 if batch_sizes is not None else 3
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.size(-1)}"
            )

    # ---- the call
    def forward(self, input: Tensor | PackedSequence, hx: Any = None) -> tuple[Any, Any]:
        """Run the layers over a sequence.

        Args:
            input: Sequence, a tensor or a PackedSequence.
            hx: Initial states of all layers: a tensor, or (hidden, cell) for an LSTM. Zero by
                default.

        Returns:
            The outputs of the last layer, and the final states of all layers.

        Raises:
            ValueError: If the input does not have two or three dimensions.
            RuntimeError: If a size does not match.

        Example:
            >>> outputs, hidden = nn.GRU(3, 4)(torch.randn(5, 2, 3))
            >>> outputs.shape, hidden.shape
            (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
        """
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            # PyTorch's texts: only that of RNN has the word.
            found = f"{input.dim()}D tensor" if self.mode.startswith("RNN") else f"{input.dim()}D"
            raise ValueError(
                f"{self._get_name()}: Expected input to be 2D or 3D, got {found} instead"
            )
        unbatched = input.dim() == 2
        batch_dim = 0 if self.batch_first else 1
        if unbatched:
            input = input.unsqueeze(batch_dim)
        states = self._states(hx, input, None, unbatched)
        results = _OPERATORS[self.mode](
            input, states, self._flat_weights, self.bias, self.num_layers, self.dropout,
            self.training, self.bidirectional, self.batch_first,
        )  # fmt: skip
        output = results[0].squeeze(batch_dim) if unbatched else results[0]
        return output, self._final_states(results[1:], unbatched, None)

    def _forward_packed(self, packed: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        data, batch_sizes, sorted_indices, unsorted_indices = packed
        states = self._states(hx, data, batch_sizes, False, sorted_indices)
        results = _OPERATORS[self.mode](
            data, batch_sizes, states, self._flat_weights, self.bias, self.num_layers,
            self.dropout, self.training, self.bidirectional,
        )  # fmt: skip
        output = PackedSequence(results[0], batch_sizes, sorted_indices, unsorted_indices)
        return output, self._final_states(results[1:], False, unsorted_indices)


def _check_sizes(
    mode: str, input_size: int, hidden_size: int, layers: int, dropout: Any, proj_size: int
) -> None:
    if mode not in _GATES:
        raise ValueError("Unrecognized RNN mode: " + mode)
    number = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
    if not number or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element "
            "being zeroed"
        )
    if dropout > 0 and layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout "
            f"expects num_layers greater than 1, but got dropout={dropout} and num_layers={layers}",
            stacklevel=4,
        )
    for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(size, int):
            raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
        if size <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


class RNN(RNNBase):
    """Recurrent layers: h' = tanh(W_ih x + b_ih + W_hh h + b_hh). See Elman (1990).

    Args:
        input_size: Size of each input vector.
        hidden_size: Size H of the hidden state.
        num_layers: Number of stacked layers.
        nonlinearity: ``tanh`` or ``relu``.
        *args: `bias`, `batch_first`, `dropout` and `bidirectional`; see RNNBase.
        **kwargs: The same by name, `device` and `dtype`.

    Shape:
        - Input: (L, N, input_size), or (N, L, input_size) with `batch_first`; (L, input_size)
          without a batch; or a PackedSequence.
        - Output: (L, N, D H), (N, L, D H) or (L, D H), where D is 2 if bidirectional, else 1.
        - Hidden state: (D num_layers, N, H), or (D num_layers, H) without a batch.

    Raises:
        ValueError: If a setting is unknown or outside its range.

    Example:
        >>> layer = nn.RNN(3, 4, num_layers=2)
        >>> outputs, hidden = layer(torch.randn(5, 2, 3))
        >>> outputs.shape, hidden.shape
        (torch.Size([5, 2, 4]), torch.Size([2, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if kwargs.get("proj_size", 0):
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        modes = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
        if nonlinearity not in modes:
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        self.__dict__["nonlinearity"] = nonlinearity
        super().__init__(modes[nonlinearity], input_size, hidden_size, num_layers, *args, **kwargs)


class GRU(RNNBase):
    """Layers of gated recurrent units. See Cho et al. (2014).

    With the elementwise product *, each step computes

        r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
        z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
        n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
        h' = (1 - z) * n + z * h

    Args:
        *args: `input_size`, `hidden_size`, `num_layers`, `bias`, `batch_first`, `dropout` and
            `bidirectional`; see RNNBase.
        **kwargs: The same by name, `device` and `dtype`.

    Shape:
        - Input: (L, N, input_size), or (N, L, input_size) with `batch_first`; (L, input_size)
          without a batch; or a PackedSequence.
        - Output: (L, N, D H), (N, L, D H) or (L, D H), where D is 2 if bidirectional, else 1.
        - Hidden state: (D num_layers, N, H), or (D num_layers, H) without a batch.

    Raises:
        ValueError: If a setting is outside its range.

    Example:
        >>> layer = nn.GRU(3, 4, batch_first=True, bidirectional=True)
        >>> outputs, hidden = layer(torch.randn(2, 5, 3))
        >>> outputs.shape, hidden.shape
        (torch.Size([2, 5, 8]), torch.Size([2, 2, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("proj_size", 0):
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class LSTM(_recurrent_states.PairedStates, RNNBase):
    """Layers of long short-term memory. See Hochreiter and Schmidhuber (1997).

    With the elementwise product *, each step computes

        i, f, o = sigmoid(W_i x + b_i + W_h h + b_h), one set of weights each
        g = tanh(W_ig x + b_ig + W_hg h + b_hg)
        c' = f * c + i * g
        h' = o * tanh(c')

    With `proj_size`, h' is multiplied by another weight, which makes it smaller.

    Args:
        *args: `input_size`, `hidden_size`, `num_layers`, `bias`, `batch_first`, `dropout`,
            `bidirectional` and `proj_size`; see RNNBase.
        **kwargs: The same by name, `device` and `dtype`.

    Shape:
        - Input: (L, N, input_size), or (N, L, input_size) with `batch_first`; (L, input_size)
          without a batch; or a PackedSequence.
        - Output: (L, N, D P), (N, L, D P) or (L, D P), where D is 2 if bidirectional, else 1, and
          P is `proj_size`, or `hidden_size` if that is 0.
        - Hidden state: (D num_layers, N, P). Cell state: (D num_layers, N, hidden_size). Without
          a batch, leave out N.

    Raises:
        ValueError: If a setting is outside its range.

    Example:
        >>> layer = nn.LSTM(3, 4, num_layers=2)
        >>> outputs, (hidden, cell) = layer(torch.randn(5, 2, 3))
        >>> outputs.shape, hidden.shape, cell.shape
        (torch.Size([5, 2, 4]), torch.Size([2, 2, 4]), torch.Size([2, 2, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


def __getattr__(name: str) -> Any:
    from torch.nn.modules._lazy_names import find

    return find(name, __name__)
