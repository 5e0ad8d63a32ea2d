"""Long short-term memory made of linear layers and arithmetic that observers can look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

__all__ = ["LSTM", "LSTMCell"]

Tensor = torch.Tensor
State = tuple[Tensor, Tensor]
_GATES = ("input", "forget", "cell", "output")


class LSTMCell(nn.Module):
    """A cell of `torch.nn.LSTMCell` made of parts.

    Args:
        input_dim: Size of each input vector.
        hidden_dim: Size of the state.
        bias: Whether to add biases.
        device: The device of the parameters.
        dtype: Their dtype.
        split_gates: Whether each gate has linear layers of its own, which observers see apart.

    Example:
        >>> h, c = torch.ao.nn.quantizable.LSTMCell(3, 4)(torch.ones(2, 3))
        >>> h.shape
        torch.Size([2, 4])
    """

    _FLOAT_MODULE = nn.LSTMCell

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
        split_gates: bool = False,
    ) -> None:
        # The quantized layers derive from these ones.
        from torch.ao.nn.quantized.modules.functional_modules import FloatFunctional

        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_dim, hidden_dim, bias
        self.split_gates = split_gates

        def linear(inputs: int, gates: int) -> nn.Linear:
            return nn.Linear(inputs, gates * hidden_dim, bias=bias, device=device, dtype=dtype)

        if split_gates:
            self.igates: Any = nn.ModuleDict({gate: linear(input_dim, 1) for gate in _GATES})
            self.hgates: Any = nn.ModuleDict({gate: linear(hidden_dim, 1) for gate in _GATES})
            self.gates: Any = nn.ModuleDict({gate: FloatFunctional() for gate in _GATES})
        else:
            self.igates, self.hgates = linear(input_dim, 4), linear(hidden_dim, 4)
            self.gates = FloatFunctional()
        self.input_gate, self.forget_gate = nn.Sigmoid(), nn.Sigmoid()
        self.cell_gate, self.output_gate = nn.Tanh(), nn.Sigmoid()
        self.fgate_cx, self.igate_cgate = FloatFunctional(), FloatFunctional()
        self.fgate_cx_igate_cgate, self.ogate_cy = FloatFunctional(), FloatFunctional()

    def forward(self, x: Tensor, hidden: State | None = None) -> State:
        """Return the next hidden and cell state, (N, hidden_dim) each, for an input, (N, input_dim)."""
        if hidden is None:
            hidden = self.initialize_hidden(x.size(0), x.is_quantized)
            if not x.is_quantized:
                hidden = (hidden[0].to(x), hidden[1].to(x))
        entry, keep, new, exit = self._sums(x, hidden[0])
        kept = self.fgate_cx.mul(self.forget_gate(keep), hidden[1])
        added = self.igate_cgate.mul(self.input_gate(entry), self.cell_gate(new))
        cell = self.fgate_cx_igate_cgate.add(kept, added)
        return self.ogate_cy.mul(self.output_gate(exit), torch.tanh(cell)), cell

    def _sums(self, x: Tensor, state: Tensor) -> Sequence[Tensor]:
        """Return the sum of the linear maps of the input and of the hidden state, for each gate."""
        if not self.split_gates:
            return self.gates.add(self.igates(x), self.hgates(state)).chunk(4, 1)  # type: ignore[no-any-return]
        return [
            self.gates[gate].add(self.igates[gate](x), self.hgates[gate](state)) for gate in _GATES
        ]

    def initialize_hidden(self, batch_size: int, is_quantized: bool = False) -> State:
        """Return a hidden and a cell state of zeros, (batch_size, hidden_dim) each."""
        zeros = torch.zeros(batch_size, self.hidden_size)
        if is_quantized:
            zeros = torch.quantize_per_tensor(zeros, 1.0, 0, torch.quint8)
        return zeros, zeros

    def _get_name(self) -> str:
        return "QuantizableLSTMCell"

    @classmethod
    def from_params(
        cls,
        wi: Tensor,
        wh: Tensor,
        bi: Tensor | None = None,
        bh: Tensor | None = None,
        split_gates: bool = False,
    ) -> LSTMCell:
        """Return the cell with weights (4 hidden, input) and (4 hidden, hidden) and biases (4 hidden)."""
        made = cls(wi.shape[1], wh.shape[1], bias=bi is not None, split_gates=split_gates)
        for layers, weight, bias in ((made.igates, wi, bi), (made.hgates, wh, bh)):
            count = 4 if split_gates else 1
            biases = [None] * count if bias is None else bias.chunk(count)
            parts = layers.values() if split_gates else [layers]
            for layer, part, own in zip(parts, weight.chunk(count), biases, strict=True):
                layer.weight = nn.Parameter(part)
                layer.bias = None if own is None else nn.Parameter(own)
        return made

    @classmethod
    def from_float(
        cls, other: Any, use_precomputed_fake_quant: bool = False, split_gates: bool = False
    ) -> LSTMCell:
        """Return the cell with the parameters of a `torch.nn.LSTMCell`."""
        parameters = (other.weight_ih, other.weight_hh, other.bias_ih, other.bias_hh)
        made = cls.from_params(*parameters, split_gates=split_gates)
        made.qconfig = other.qconfig
        return made


def zero_state(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return zeros, quantized if an input is."""
    zeros = torch.zeros(shape, device=x.device)
    if not x.is_quantized:
        return zeros.to(x.dtype)
    return torch.quantize_per_tensor(zeros, 1.0, 0, x.dtype)  # type: ignore[no-any-return]


class _LSTMSingleLayer(nn.Module):
    """One direction of a layer."""

    def __init__(self, cell: LSTMCell) -> None:
        super().__init__()
        self.cell = cell

    def forward(self, x: Tensor, hidden: State) -> tuple[Tensor, State]:
        """Return the hidden states of all steps, (L, N, hidden), and the last states."""
        outputs = []
        for step in x:
            hidden = self.cell(step, hidden)
            outputs.append(hidden[0])
        return torch.stack(outputs, 0), hidden


class _LSTMLayer(nn.Module):
    """A layer of one direction or two."""

    def __init__(self, cells: list[LSTMCell]) -> None:
        super().__init__()
        self.layer_fw = _LSTMSingleLayer(cells[0])
        if len(cells) == 2:
            self.layer_bw = _LSTMSingleLayer(cells[1])

    def forward(self, x: Tensor, states: list[State]) -> tuple[Tensor, list[State]]:
        """Return the outputs, (L, N, directions * hidden), and the last states of each direction."""
        output, state = self.layer_fw(x, states[0])
        if len(states) == 1:
            return output, [state]
        backward, last = self.layer_bw(x.flip(0), states[1])
        return torch.cat([output, backward.flip(0)], output.dim() - 1), [state, last]


class LSTM(nn.Module):
    """The layers of `torch.nn.LSTM` made of parts; see there for the arguments.

    Args:
        input_size: Size of each input vector.
        hidden_size: Size of the state.
        num_layers: Number of stacked layers.
        bias: Whether to add biases.
        batch_first: Whether the batch dimension comes first.
        dropout: Probability of dropout between the layers in training.
        bidirectional: Whether each layer also runs backward.
        device: The device of the parameters.
        dtype: Their dtype.
        split_gates: Whether each gate has linear layers of its own, which observers see apart.

    Example:
        >>> outputs, _ = torch.ao.nn.quantizable.LSTM(3, 4)(torch.ones(5, 2, 3))
        >>> outputs.shape
        torch.Size([5, 2, 4])
    """

    _FLOAT_MODULE: Any = nn.LSTM

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        split_gates: bool = False,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.training = bidirectional, False
        directions = 2 if bidirectional else 1
        self.layers = nn.ModuleList()
        for layer in range(num_layers):
            inputs = hidden_size * directions if layer else input_size
            options = (inputs, hidden_size, bias, device, dtype, split_gates)
            self.layers.append(_LSTMLayer([LSTMCell(*options) for _ in range(directions)]))

    def forward(self, x: Tensor, hidden: State | None = None) -> tuple[Tensor, State]:
        """Return the outputs of the last layer and the final states; see `torch.nn.LSTM`."""
        if self.batch_first:
            x = x.transpose(0, 1)
        directions = 2 if self.bidirectional else 1
        count = self.num_layers * directions
        if hidden is None:
            zeros = zero_state(x, (x.size(1), self.hidden_size))
            states = [(zeros, zeros)] * count
        else:
            parts = [_quantized_like(part, x) for part in hidden]
            states = list(zip(*parts, strict=True))
        final: list[State] = []
        for index, layer in enumerate(self.layers):
            x, last = layer(x, states[index * directions : (index + 1) * directions])
            final += last
            if index < self.num_layers - 1 and self.training and self.dropout:
                x = F.dropout(x, self.dropout, True)
        output = x.transpose(0, 1) if self.batch_first else x
        first, second = (torch.stack(list(parts)) for parts in zip(*final, strict=True))
        return output, (first, second)

    def _get_name(self) -> str:
        return "QuantizableLSTM"

    @classmethod
    def from_float(cls, other: Any, qconfig: Any = None, split_gates: bool = False) -> Any:
        """Return the observed layers with the parameters of a `torch.nn.LSTM`.

        Args:
            other: The layers of floating point.
            qconfig: The factories of the observers; those of `other` by default.
            split_gates: Whether each gate has linear layers of its own.

        Raises:
            AssertionError: If the module is of another class or has no qconfig.
            NotImplementedError: If the layers have projections.
        """
        if not isinstance(other, cls._FLOAT_MODULE):
            raise AssertionError(f"expected a {cls._FLOAT_MODULE}, got {type(other)}")
        if not hasattr(other, "qconfig") and not qconfig:
            raise AssertionError("Input float module must have qconfig defined")
        if other.proj_size:
            raise NotImplementedError("layers with projections cannot be quantized")
        from torch.ao.quantization.quantize import prepare, prepare_qat

        settings = (other.num_layers, other.bias, other.batch_first, other.dropout)
        options = {"bidirectional": other.bidirectional, "split_gates": split_gates}
        made = cls(other.input_size, other.hidden_size, *settings, **options)
        made.qconfig = qconfig or other.qconfig
        directions = 2 if other.bidirectional else 1
        for index in range(other.num_layers):
            weights = other.all_weights[index * directions : (index + 1) * directions]
            made.layers[index] = _LSTMLayer([_cell(each, split_gates) for each in weights])
        made.train(other.training)
        return prepare_qat(made, inplace=True) if other.training else prepare(made, inplace=True)


def _cell(weights: Sequence[Tensor], split_gates: bool) -> LSTMCell:
    return LSTMCell.from_params(*weights, split_gates=split_gates)


def _quantized_like(part: Tensor, x: Tensor) -> Tensor:
    """Return states, quantized if an input is."""
    if not x.is_quantized or part.is_quantized:
        return part
    return torch.quantize_per_tensor(part, 1.0, 0, x.dtype)  # type: ignore[no-any-return]
