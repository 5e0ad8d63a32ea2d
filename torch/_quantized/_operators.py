"""The operators of torch.ops.quantized: arithmetic whose result has parameters of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._quantized import _packed_weights, _rules
from torch._quantized._quantizers import PerTensor, quantized_dtype
from torch._quantized._tensor import QuantizedTensor, wrap

Tensor = torch.Tensor


def _quantized(values: Tensor, like: Tensor, scale: float, zero_point: int) -> QuantizedTensor:
    quantizer = PerTensor(float(scale), int(zero_point))
    return wrap(quantizer.quantize(values, like.dtype), quantizer, like.dtype)


def add(qa: Any, qb: Any, scale: float, zero_point: int) -> Tensor:
    """Return the sum of two quantized tensors, with the given parameters."""
    return _quantized(qa.dequantize() + qb.dequantize(), qa, scale, zero_point)


def add_relu(qa: Any, qb: Any, scale: float, zero_point: int) -> Tensor:
    """Return the sum of two quantized tensors, zero where it is negative."""
    return add(qa, qb, scale, zero_point).relu()


def mul(qa: Any, qb: Any, scale: float, zero_point: int) -> Tensor:
    """Return the product of two quantized tensors, with the given parameters."""
    return _quantized(qa.dequantize() * qb.dequantize(), qa, scale, zero_point)


def mul_relu(qa: Any, qb: Any, scale: float, zero_point: int) -> Tensor:
    """Return the product of two quantized tensors, zero where it is negative."""
    return mul(qa, qb, scale, zero_point).relu()


def cat(
    qx: Sequence[Any], dim: int, scale: float | None = None, zero_point: int | None = None
) -> Tensor:
    """Return quantized tensors side by side, with the given parameters or those of the first."""
    first = qx[0]
    quantizer = PerTensor(
        first.q_scale() if scale is None else float(scale),
        first.q_zero_point() if zero_point is None else int(zero_point),
    )
    return _rules.concatenated(qx, dim, quantizer, first.dtype)  # type: ignore[no-any-return]


def cat_relu(
    qx: Sequence[Any], dim: int, scale: float | None = None, zero_point: int | None = None
) -> Tensor:
    """Return quantized tensors side by side, zero where they are negative."""
    return cat(qx, dim, scale, zero_point).relu()


def add_scalar(qa: Any, b: float) -> Tensor:
    """Return the sum of a quantized tensor and a number; where possible, only the zero point changes."""
    kind, scale = quantized_dtype(qa.dtype), qa.q_scale()
    steps = round(b / scale)
    point, width = qa.q_zero_point() - steps, kind.high - kind.low
    if kind.low <= point <= kind.high:
        return wrap(qa._integers.clone(), PerTensor(scale, point), qa.dtype)
    values = (qa._integers.float() + (steps - qa.q_zero_point())) * scale
    if point < kind.low:
        return _quantized(values, qa, (kind.high - point) / width * scale, kind.low)
    return _quantized(values, qa, (point - kind.low) / width * scale, kind.high)


def mul_scalar(qa: Any, b: float) -> Tensor:
    """Return the product of a quantized tensor and a number, which changes the parameters."""
    kind, scale, point = quantized_dtype(qa.dtype), qa.q_scale(), qa.q_zero_point()
    if b > 0:
        return wrap(qa._integers.clone(), PerTensor(scale * b, point), qa.dtype)
    if b == 0:
        return wrap(torch.zeros_like(qa._integers), PerTensor(1.0, 0), qa.dtype)
    mirrored = (kind.high + kind.low) - qa._integers.long()
    quantizer = PerTensor(scale * -b, kind.high - (point - kind.low))
    return wrap(mirrored.to(kind.integers), quantizer, qa.dtype)


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
    return _quantized(values, self, output_scale, output_zero_point)


def leaky_relu(
    qx: Any, negative_slope: float, inplace: bool, output_scale: float, output_zero_point: int
) -> Tensor:
    """Return the leaky rectified linear unit of a quantized tensor, with the given parameters."""
    values = torch.nn.functional.leaky_relu(qx.dequantize(), negative_slope)
    return _quantized(values, qx, output_scale, output_zero_point)


def _pointwise(function: Callable[[Tensor], Tensor], name: str) -> Callable[..., Tensor]:
    def operator(qx: Any, output_scale: float, output_zero_point: int) -> Tensor:
        return _quantized(function(qx.dequantize()), qx, output_scale, output_zero_point)

    operator.__name__ = operator.__qualname__ = name
    operator.__doc__ = f"Return the {name} of a quantized tensor, with the given parameters."
    return operator


hardswish = _pointwise(torch.nn.functional.hardswish, "hardswish")
sigmoid = _pointwise(torch.sigmoid, "sigmoid")

NAMES = (
    "add",
    "add_relu",
    "add_scalar",
    "cat",
    "cat_relu",
    "elu",
    "hardswish",
    "leaky_relu",
    "mul",
    "mul_relu",
    "mul_scalar",
    "sigmoid",
    *_packed_weights.OPERATORS,
)
globals().update(_packed_weights.OPERATORS)
