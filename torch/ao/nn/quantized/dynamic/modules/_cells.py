"""Recurrent cells that quantize their inputs and states for each product."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.ao.nn.quantized.modules._conversion import (
    check_class,
    check_qconfig,
    dynamic_weight,
    take,
    weight_observer,
)

Tensor = torch.Tensor
_ops = torch.ops.quantized


def pack(weight: Tensor, bias: Tensor, observer: Any) -> Any:
    """Return a packed weight for linear products, quantized as an observer says."""
    observer(weight)
    quantized = dynamic_weight(weight, observer)
    prepack = _ops.linear_prepack_fp16 if observer.dtype == torch.float16 else _ops.linear_prepack
    return prepack(quantized, bias)


class ConstantObserver:
    """An observer of default layers: weights of zeros."""

    def __init__(self, dtype: Any) -> None:
        self.dtype, self.qscheme = dtype, torch.per_tensor_affine
        self.quant_min, self.quant_max = -128, 127

    def __call__(self, weight: Tensor) -> Tensor:
        """Return the weight."""
        return weight

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:
        """Return a scale of 1 and a zero point of 0."""
        return torch.tensor([1.0]), torch.tensor([0])


class RNNCellBase(nn.Module):
    """The base class of the cells.

    Args:
        input_size: Size of each input vector.
        hidden_size: Size of the state.
        bias: Whether to add biases.
        num_chunks: The number of gates.
        dtype: torch.qint8 or torch.float16.
    """

    _FLOAT_MODULE: Any = None
    _OPERATOR: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        num_chunks: int = 4,
        dtype: Any = torch.qint8,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self.weight_dtype = dtype
        gates = num_chunks * hidden_size
        zeros = [torch.zeros(gates, size) for size in (input_size, hidden_size)]
        biases = [torch.zeros(gates) if bias else None] * 2
        self._set(zeros, biases, ConstantObserver(dtype))

    def _set(self, weights: Any, biases: Any, observer: Any) -> None:
        self.bias_ih, self.bias_hh = biases
        self._packed_weight_ih = pack(weights[0], biases[0], observer)
        self._packed_weight_hh = pack(weights[1], biases[1], observer)

    def _step(self, input: Tensor, hx: Any) -> Any:
        if input.size(1) != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {input.size(1)}, expected {self.input_size}"
            )
        packed = (self._packed_weight_ih, self._packed_weight_hh)
        operator = getattr(_ops, self._operator_name())
        return operator(input, hx, *packed, self.bias_ih, self.bias_hh)

    def _operator_name(self) -> str:
        return self._OPERATOR

    def _zero_state(self, input: Tensor) -> Tensor:
        return input.new_zeros(input.size(0), self.hidden_size)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Any:
        """Return the next state, (N, hidden_size), for an input, (N, input_size).

        Raises:
            RuntimeError: If a size does not match.
        """
        return self._step(input, self._zero_state(input) if hx is None else hx)

    def get_weight(self) -> dict[str, Any]:
        """Return the weights by the names of `torch.nn.LSTMCell` and its relatives."""
        return {
            "weight_ih": self._packed_weight_ih.weight,
            "weight_hh": self._packed_weight_hh.weight,
        }

    def get_bias(self) -> dict[str, Any]:
        """Return the biases by the names of `torch.nn.LSTMCell` and its relatives."""
        return {"bias_ih": self._packed_weight_ih.bias, "bias_hh": self._packed_weight_hh.bias}

    def extra_repr(self) -> str:
        """Show the sizes."""
        text = f"{self.input_size}, {self.hidden_size}"
        return text if self.bias is True else f"{text}, bias={self.bias}"

    def _get_name(self) -> str:
        return f"DynamicQuantized{type(self).__name__}"

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        for name in ("_packed_weight_ih", "_packed_weight_hh"):
            destination[prefix + name] = getattr(self, name)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
    ) -> None:
        for name in ("_packed_weight_ih", "_packed_weight_hh"):
            if take(state_dict, prefix + name, missing) is not None:
                setattr(self, name, state_dict.pop(prefix + name))
        super()._load_from_state_dict(state_dict, prefix, metadata, False, missing, *rest)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the cell for one of floating point with a qconfig.

        Raises:
            AssertionError: If the module is of another class or has no qconfig.
            RuntimeError: If the qconfig asks for an unsupported dtype.
        """
        check_class(cls, mod, cls._FLOAT_MODULE)
        check_qconfig(mod)
        observer = weight_observer(mod.qconfig)
        extra = {"nonlinearity": mod.nonlinearity} if hasattr(mod, "nonlinearity") else {}
        made = cls(mod.input_size, mod.hidden_size, bias=mod.bias, dtype=observer.dtype, **extra)
        made._set_observed(mod)
        return made

    def _set_observed(self, mod: Any) -> None:
        for end in ("ih", "hh"):
            weight, bias = getattr(mod, f"weight_{end}"), getattr(mod, f"bias_{end}")
            setattr(self, f"bias_{end}", None if bias is None else bias.detach())
            packed = pack(weight, bias, weight_observer(mod.qconfig))
            setattr(self, f"_packed_weight_{end}", packed)


class RNNCell(RNNCellBase):
    """A cell of `torch.nn.RNNCell` with quantized products.

    Example:
        >>> torch.ao.nn.quantized.dynamic.RNNCell(3, 4)(torch.ones(2, 3)).shape
        torch.Size([2, 4])
    """

    _FLOAT_MODULE = nn.RNNCell

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: Any = torch.qint8,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, dtype=dtype)
        if nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {nonlinearity}")
        self.nonlinearity = nonlinearity

    def _operator_name(self) -> str:
        return f"quantized_rnn_{self.nonlinearity}_cell_dynamic"


class LSTMCell(RNNCellBase):
    """A cell of `torch.nn.LSTMCell` with quantized products.

    Example:
        >>> h, c = torch.ao.nn.quantized.dynamic.LSTMCell(3, 4)(torch.ones(2, 3))
        >>> h.shape
        torch.Size([2, 4])
    """

    _FLOAT_MODULE = nn.LSTMCell
    _OPERATOR = "quantized_lstm_cell_dynamic"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, num_chunks=4, **kwargs)

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Tensor]:
        """Return the next hidden and cell state, (N, hidden_size) each."""
        if hx is None:
            hx = (self._zero_state(input),) * 2
        return self._step(input, hx)  # type: ignore[no-any-return]


class GRUCell(RNNCellBase):
    """A cell of `torch.nn.GRUCell` with quantized products.

    Example:
        >>> torch.ao.nn.quantized.dynamic.GRUCell(3, 4)(torch.ones(2, 3)).shape
        torch.Size([2, 4])
    """

    _FLOAT_MODULE = nn.GRUCell
    _OPERATOR = "quantized_gru_cell_dynamic"

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, dtype: Any = torch.qint8
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, dtype=dtype)
