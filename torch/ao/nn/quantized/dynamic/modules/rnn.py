"""Recurrent layers and cells that quantize their inputs and states for each product."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch._published import publish
from torch._quantized._recurrent import recurrent
from torch.ao.nn.quantized.dynamic.modules._cells import (
    ConstantObserver,
    GRUCell,
    LSTMCell,
    RNNCell,
    pack,
)
from torch.ao.nn.quantized.modules._conversion import (
    _hide_packed_params_repr,
    check_class,
    check_qconfig,
    take,
    weight_observer,
)
from torch.nn.modules import rnn as _float
from torch.nn.modules._recurrent_states import PairedStates
from torch.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "GRUCell", "LSTMCell", "RNNCell"]

Tensor = torch.Tensor
_ops = torch.ops.quantized
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _cell_weights(values: list[Any], observers: list[Any]) -> Any:
    """Return the packed weights of a layer: weights (gates, in) and (gates, hidden), and biases."""
    first, second = (
        pack(weight, bias, observer)
        for weight, bias, observer in zip(values[:2], values[2:], observers, strict=True)
    )
    if observers[0].dtype == torch.float16:
        return _ops.make_quantized_cell_params_fp16(first, second)
    return _ops.make_quantized_cell_params_dynamic(first, second, values[2], values[3], True)


class PackedParameter(nn.Module):
    """The packed weights of one layer and direction."""

    def __init__(self, param: Any) -> None:
        super().__init__()
        self.param = param

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[f"{prefix}param"] = self.param

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
    ) -> None:
        if take(state_dict, f"{prefix}param", missing) is not None:
            self.param = state_dict.pop(f"{prefix}param")
        super()._load_from_state_dict(state_dict, prefix, metadata, False, missing, *rest)


class RNNBase(_float.RNNBase):
    """The base class of the layers; see `torch.nn.RNNBase` for the arguments.

    Args:
        mode: "LSTM" or "GRU".
        input_size: Size of each input vector.
        hidden_size: Size of the state.
        num_layers: Number of stacked layers.
        bias: Must be True where weights are integers.
        batch_first: Whether the batch dimension comes first.
        dropout: Probability of dropout between the layers in training.
        bidirectional: Whether each layer also runs backward.
        dtype: torch.qint8 or torch.float16.
    """

    _version = 2
    _FLOAT_MODULE: Any = None

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
        dtype: Any = torch.qint8,
    ) -> None:
        nn.Module.__init__(self)
        _float._check_sizes(mode, input_size, hidden_size, num_layers, dropout, 0)
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.bias, self.batch_first = num_layers, bias, batch_first
        self.dropout, self.bidirectional, self.dtype = float(dropout), bidirectional, dtype
        self.proj_size, self.version = 0, 2
        observers = [ConstantObserver(dtype)] * 2
        zeros = [self._zeros(index) for index in range(num_layers * (2 if bidirectional else 1))]
        self._set([_cell_weights(values, observers) for values in zeros])

    def _set(self, weights: list[Any]) -> None:
        self._all_weight_values = nn.ModuleList(PackedParameter(each) for each in weights)

    def _zeros(self, index: int) -> list[Tensor]:
        directions = 2 if self.bidirectional else 1
        gates = _GATES[self.mode] * self.hidden_size
        inputs = self.input_size if index < directions else self.hidden_size * directions
        shapes: Any = ((gates, inputs), (gates, self.hidden_size), (gates,), (gates,))
        return [torch.zeros(shape) for shape in shapes]

    def __getstate__(self) -> dict[str, Any]:
        return vars(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        nn.Module.__setstate__(self, state)

    # ---- the call
    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raise RuntimeError if the input has another number of dimensions or another size."""
        expected = 2 if batch_sizes is not None else 3
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.size(-1)}"
            )

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """Run the layers over a sequence, (L, N, input_size), or a PackedSequence.

        Returns:
            The outputs of the last layer, and the final states of all layers.

        Raises:
            RuntimeError: If a size does not match.
        """
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, unsorted = input
            states = self._states(hx, data, batch_sizes, False, order)
            output, final = self._run(data, batch_sizes.tolist(), states)
            result: Any = PackedSequence(output, batch_sizes, order, unsorted)
            return result, self._final_states(final, False, unsorted)
        states = self._states(hx, input, None, False)
        steps = input.transpose(0, 1) if self.batch_first else input
        length, batch = steps.shape[:2]
        output, final = self._run(steps.reshape(length * batch, -1), [batch] * length, states)
        output = output.reshape(length, batch, -1)
        result = output.transpose(0, 1) if self.batch_first else output
        return result, self._final_states(final, False, None)

    def _run(self, data: Tensor, sizes: list[int], states: Any) -> Any:
        parts = tuple(states) if isinstance(states, (list, tuple)) else (states,)
        weights = [each.param for each in self._all_weight_values]
        dropout = self.dropout if self.training else 0.0
        return recurrent(self.mode, data, sizes, parts, weights, self.bidirectional, dropout)

    # ---- weights
    def _names(self, kind: str) -> list[tuple[str, str]]:
        ends = ("", "_reverse") if self.bidirectional else ("",)
        suffixes = [f"_l{layer}{end}" for layer in range(self.num_layers) for end in ends]
        return [(f"{kind}_ih{suffix}", f"{kind}_hh{suffix}") for suffix in suffixes]

    def _named(self, kind: str, index: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for names, each in zip(self._names(kind), self._all_weight_values, strict=True):
            layers = (each.param.input, each.param.hidden)
            for name, layer in zip(names, layers, strict=True):
                found[name] = (layer.weight, layer.bias)[index]
        return found

    def get_weight(self) -> dict[str, Any]:
        """Return the weights by the names of `torch.nn.LSTM` and its relatives."""
        return self._named("weight", 0)

    def get_bias(self) -> dict[str, Any]:
        """Return the biases by the names of `torch.nn.LSTM` and its relatives."""
        return self._named("bias", 1)

    def _get_name(self) -> str:
        return f"DynamicQuantized{type(self).__name__}"

    def __repr__(self) -> str:
        return _hide_packed_params_repr(self, nn.ModuleList)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, *rest: Any
    ) -> None:
        self.version = metadata.get("version", None)
        super()._load_from_state_dict(state_dict, prefix, metadata, *rest)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for one of floating point with a qconfig.

        Raises:
            AssertionError: If the module is of another class or has no qconfig.
            RuntimeError: If the qconfig asks for an unsupported dtype.
            NotImplementedError: If the layer has projections, or no biases.
        """
        check_class(cls, mod, cls._FLOAT_MODULE)
        check_qconfig(mod)
        if mod.proj_size or not mod.bias:
            raise NotImplementedError(
                "dynamic quantization needs layers with biases and without projections"
            )
        dtype = weight_observer(mod.qconfig).dtype
        made = cls(
            mod.input_size, mod.hidden_size, mod.num_layers, mod.bias, mod.batch_first, mod.dropout,
            mod.bidirectional, dtype=dtype,
        )  # fmt: skip
        made._set(
            [
                _cell_weights(values, [weight_observer(mod.qconfig) for _ in range(2)])
                for values in mod.all_weights
            ]
        )
        return made


class LSTM(PairedStates, RNNBase):
    """Layers of long short-term memory with quantized products; see `torch.nn.LSTM`.

    Example:
        >>> outputs, _ = torch.ao.nn.quantized.dynamic.LSTM(3, 4)(torch.ones(5, 2, 3))
        >>> outputs.shape
        torch.Size([5, 2, 4])
    """

    _FLOAT_MODULE = nn.LSTM

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Layers of gated recurrent units with quantized products; see `torch.nn.GRU`.

    Example:
        >>> torch.ao.nn.quantized.dynamic.GRU(3, 4)(torch.ones(5, 2, 3))[1].shape
        torch.Size([1, 2, 4])
    """

    _FLOAT_MODULE = nn.GRU

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", *args, **kwargs)


for _kind in (GRUCell, LSTMCell, RNNCell):
    publish(_kind, __name__, _kind.__name__)
