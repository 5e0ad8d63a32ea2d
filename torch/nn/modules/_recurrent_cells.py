"""Recurrent cells: one step of a recurrent layer."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.module import Module
from torch.nn.modules.rnn import _init_uniform
from torch.nn.parameter import Parameter


class RNNCellBase(Module):
    """Base class of the recurrent cells: the parameters of one step.

    Args:
        input_size: Size of the input vector.
        hidden_size: Size of the hidden state.
        bias: If False, leave out the biases.
        num_chunks: Number of gates: 1 for RNNCell, 3 for GRUCell, 4 for LSTMCell.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Example:
        >>> cell = nn.RNNCellBase(3, 4, bias=True, num_chunks=4)
        >>> cell.weight_ih.shape
        torch.Size([16, 3])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        shapes = {"weight_ih": (gates, input_size), "weight_hh": (gates, hidden_size)}
        for name, shape in (shapes | {"bias_ih": (gates,), "bias_hh": (gates,)}).items():
            if bias or name in shapes:
                setattr(self, name, Parameter(torch.empty(shape, device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw every parameter uniformly between -k and k, where k = 1 / sqrt(hidden_size)."""
        _init_uniform(self, self.hidden_size)

    def extra_repr(self) -> str:
        """Return the sizes, and the settings that differ from the defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _step(self, operator: Any, input: Tensor, states: list[Tensor] | None, count: int) -> Any:
        """Run one step, adding a batch dimension to unbatched arguments and removing it again."""
        name = self._get_name()
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for index, state in enumerate(states or ()):
            if state.dim() not in (1, 2):
                place = "hidden" if count == 1 else f"hx[{index}]"
                raise ValueError(
                    f"{name}: Expected {place} to be 1D or 2D, got {state.dim()}D instead"
                )
        batched = input.dim() == 2
        batch = input if batched else input.unsqueeze(0)
        if states is None:
            shape = (batch.size(0), self.hidden_size)
            states = [torch.zeros(shape, dtype=input.dtype, device=input.device)] * count
        elif not batched:
            states = [state.unsqueeze(0) for state in states]
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        result = operator(batch, states[0] if count == 1 else states, *weights)
        if batched:
            return result
        return result.squeeze(0) if count == 1 else tuple(item.squeeze(0) for item in result)


class RNNCell(RNNCellBase):
    """One step of RNN.

    Args:
        input_size: Size of the input vector.
        hidden_size: Size of the hidden state.
        bias: If False, leave out the biases.
        nonlinearity: ``tanh`` or ``relu``.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, input_size) or (input_size).
        - Hidden state: (N, hidden_size) or (hidden_size). The default is zero.
        - Output: the shape of the hidden state.

    Example:
        >>> cell = nn.RNNCell(3, 4)
        >>> hidden = torch.zeros(2, 4)
        >>> for x in torch.randn(5, 2, 3):
        ...     hidden = cell(x, hidden)
        >>> hidden.shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next hidden state.

        Raises:
            RuntimeError: If the nonlinearity is unknown.
            ValueError: If an argument does not have one or two dimensions.
        """
        operators = {"tanh": torch.rnn_tanh_cell, "relu": torch.rnn_relu_cell}
        if self.nonlinearity not in operators:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(operators[self.nonlinearity], input, None if hx is None else [hx], 1)


class GRUCell(RNNCellBase):
    """One step of GRU.

    Args:
        input_size: Size of the input vector.
        hidden_size: Size of the hidden state.
        bias: If False, leave out the biases.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, input_size) or (input_size).
        - Hidden state: (N, hidden_size) or (hidden_size). The default is zero.
        - Output: the shape of the hidden state.

    Example:
        >>> nn.GRUCell(3, 4)(torch.randn(2, 3), torch.zeros(2, 4)).shape
        torch.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next hidden state.

        Raises:
            ValueError: If an argument does not have one or two dimensions.
        """
        return self._step(torch.gru_cell, input, None if hx is None else [hx], 1)


class LSTMCell(RNNCellBase):
    """One step of LSTM.

    Args:
        input_size: Size of the input vector.
        hidden_size: Size of the hidden state.
        bias: If False, leave out the biases.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input: (N, input_size) or (input_size).
        - Hidden and cell state: (N, hidden_size) or (hidden_size). The default is zero.
        - Output: the next hidden and cell state.

    Example:
        >>> hidden, cell = nn.LSTMCell(3, 4)(torch.randn(2, 3))
        >>> hidden.shape, cell.shape
        (torch.Size([2, 4]), torch.Size([2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the next hidden and cell states.

        Raises:
            ValueError: If an argument does not have one or two dimensions.
            TypeError: If `hx` is a tensor.
        """
        if isinstance(hx, Tensor):
            raise TypeError(
                "lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor"
            )
        return self._step(torch.lstm_cell, input, None if hx is None else list(hx), 2)
