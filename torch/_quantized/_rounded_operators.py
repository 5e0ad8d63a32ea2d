"""Operators of torch.ops.quantized that compute in float32 and round the result once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch._quantized._layers import quantized_batch_norm
from torch._quantized._quantizers import PerTensor
from torch._quantized._tensor import QuantizedTensor, wrap

Tensor = torch.Tensor


def rounded(values: Tensor, like: Tensor, scale: float, zero_point: int) -> QuantizedTensor:
    """Return numbers as a quantized tensor with the dtype of another and the given parameters."""
    quantizer = PerTensor(float(scale), int(zero_point))
    return wrap(quantizer.requantize(values, like.dtype), quantizer, like.dtype)


def elu(
    self: Any,
    output_scale: float,
    output_zero_point: int,
    alpha: float = 1,
    scale: float = 1,
    input_scale: float = 1,
) -> Tensor:
    """Return the exponential linear unit of a quantized tensor, with the given parameters."""
    values = torch.ops.aten.elu(self.dequantize(), alpha, scale, input_scale)
    return rounded(values, self, output_scale, output_zero_point)


def celu(self: Any, output_scale: float, output_zero_point: int, alpha: float = 1) -> Tensor:
    """Return the continuous exponential linear unit of a quantized tensor."""
    return rounded(F.celu(self.dequantize(), alpha), self, output_scale, output_zero_point)


def leaky_relu(
    qx: Any, negative_slope: float, inplace: bool, output_scale: float, output_zero_point: int
) -> Tensor:
    """Return the leaky rectified linear unit of a quantized tensor, with the given parameters."""
    values = F.leaky_relu(qx.dequantize(), negative_slope)
    return rounded(values, qx, output_scale, output_zero_point)


def prelu(qx: Any, weight: Any, output_scale: float, output_zero_point: int) -> Tensor:
    """Return the leaky rectified linear unit of a quantized tensor with quantized slopes."""
    values = F.prelu(qx.dequantize(), weight.dequantize())
    return rounded(values, qx, output_scale, output_zero_point)


def softmax(qx: Any, dim: int, output_scale: float, output_zero_point: int) -> Tensor:
    """Return the softmax of a quantized tensor along a dimension, with the given parameters."""
    return rounded(F.softmax(qx.dequantize(), dim), qx, output_scale, output_zero_point)


def dropout(
    self: Any, output_scale: float, output_zero_point: int, p: float = 0.5, training: bool = False
) -> Tensor:
    """Return a quantized tensor with its own parameters, of which elements are dropped in training."""
    values = F.dropout(self.dequantize(), p, training)
    return rounded(values, self, self.q_scale(), self.q_zero_point())


def matmul(qa: Any, qb: Any, scale: float, zero_point: int) -> Tensor:
    """Return the matrix product of two quantized tensors, with the given parameters."""
    left, right = (each._integers.double() - each.q_zero_point() for each in (qa, qb))
    unit = torch.tensor(qa.q_scale(), dtype=torch.float32) * qb.q_scale()
    return rounded((left @ right).float() * unit, qa, scale, zero_point)


def threshold(qx: Any, threshold: float, value: float) -> Tensor:
    """Replace the elements of a quantized tensor that are not above a threshold."""
    quantizer = qx._per_tensor()
    bounds = torch.tensor([threshold, value], dtype=torch.float32)
    least, filling = quantizer.quantize(bounds, qx.dtype)
    return qx._with_integers(torch.where(qx._integers > least, qx._integers, filling))  # type: ignore[no-any-return]


def clamp(qx: Any, min: float | None = None, max: float | None = None) -> Tensor:
    """Return a quantized tensor with bounded elements and the same parameters."""
    return torch.clamp(qx, min, max)


def relu6(qx: Any, inplace: bool = False) -> Tensor:
    """Return a quantized tensor with elements bounded by 0 and 6 and the same parameters."""
    bounded = torch.clamp(qx, 0.0, 6.0)
    if not inplace:
        return bounded
    qx._integers.copy_(bounded._integers)  # type: ignore[attr-defined]
    return qx  # type: ignore[no-any-return]


def _pointwise(function: Callable[[Tensor], Tensor], name: str) -> Callable[..., Tensor]:
    def operator(qx: Any, output_scale: float, output_zero_point: int) -> Tensor:
        return rounded(function(qx.dequantize()), qx, output_scale, output_zero_point)

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"Return the {name} of a quantized tensor, with the given parameters."
    return operator


# ---- normalization -------------------------------------------------------------------------------
def layer_norm(
    input: Any,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Tensor:
    """Normalize the last dimensions of a quantized tensor; see `torch.nn.functional.layer_norm`."""
    values = F.layer_norm(input.dequantize(), list(normalized_shape), weight, bias, eps)
    return rounded(values, input, output_scale, output_zero_point)


def group_norm(
    input: Any,
    num_groups: int,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Tensor:
    """Normalize groups of channels of a quantized tensor; see `torch.nn.functional.group_norm`."""
    values = F.group_norm(input.dequantize(), num_groups, weight, bias, eps)
    return rounded(values, input, output_scale, output_zero_point)


def instance_norm(
    input: Any,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Tensor:
    """Normalize each channel of each sample of a quantized tensor."""
    values = F.instance_norm(input.dequantize(), None, None, weight, bias, eps=eps)
    return rounded(values, input, output_scale, output_zero_point)


def _batch_norm(relu: bool) -> Callable[..., Tensor]:
    def operator(*args: Any) -> Tensor:
        normalized = quantized_batch_norm(*args)
        return normalized.relu() if relu else normalized

    end = ", zero where it is negative" if relu else ""
    operator.__doc__ = f"Return what `torch.quantized_batch_norm` returns{end}."
    return operator


OPERATORS: dict[str, Callable[..., Any]] = {
    name: globals()[name]
    for name in """celu clamp dropout elu group_norm instance_norm layer_norm leaky_relu matmul prelu relu6 softmax
    threshold""".split()  # noqa: SIM905
}
OPERATORS["hardswish"] = _pointwise(F.hardswish, "hardswish")
OPERATORS["sigmoid"] = _pointwise(torch.sigmoid, "sigmoid")
for _kind in ("", "1d", "2d", "3d"):
    OPERATORS[f"batch_norm{_kind}"] = _batch_norm(relu=False)
    OPERATORS[f"batch_norm{_kind}_relu"] = _batch_norm(relu=True)
