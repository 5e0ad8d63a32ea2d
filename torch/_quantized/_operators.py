"""The operators of torch.ops.quantized: arithmetic whose result has parameters of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._quantized import _embeddings, _packed_weights, _recurrent, _rounded_operators, _rules
from torch._quantized._quantizers import PerTensor, quantized_dtype
from torch._quantized._rounded_operators import rounded
from torch._quantized._tensor import wrap

Tensor = torch.Tensor


def _arithmetic(name: str, operation: Callable[..., Tensor], rectified: bool) -> Callable[..., Any]:
    """Return an operator of two quantized tensors, or of one and a number."""

    def call(
        qa: Any, qb: Any, scale: Any = None, zero_point: Any = None, *, out: Any = None
    ) -> Tensor:
        if not isinstance(qb, Tensor):
            return _with_number(name, rectified, qa, qb, out)
        if out is not None:
            scale, zero_point = out.q_scale(), out.q_zero_point()
        result = rounded(operation(qa.dequantize(), qb.dequantize()), qa, scale, zero_point)
        return _into(out, result.relu() if rectified else result)

    call.__name__ = name
    what = "sum" if name == "add" else "product"
    call.__doc__ = f"Return the {what} of quantized tensors" + (
        ", zero where it is negative." if rectified else "."
    )
    return call


def _with_number(name: str, rectified: bool, qa: Any, number: float, out: Any) -> Tensor:
    result = globals()[f"{name}_scalar"](qa, number)
    result = result.relu() if rectified else result
    if out is not None:
        out._quantizer = result._quantizer
    return _into(out, result)


def _into(out: Any, result: Any) -> Tensor:
    """Write a result to the argument out if there is one."""
    if out is None:
        return result  # type: ignore[no-any-return]
    out._integers.copy_(result._integers)
    return out  # type: ignore[no-any-return]


add, add_relu = (_arithmetic("add", torch.add, rectified) for rectified in (False, True))
mul, mul_relu = (_arithmetic("mul", torch.mul, rectified) for rectified in (False, True))


def max_pool2d(
    qx: Any,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the greatest numbers of windows; see `torch.nn.functional.max_pool2d`."""
    return torch.max_pool2d(qx, kernel_size, stride, padding, dilation, ceil_mode)


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
        return rounded(values, qa, (kind.high - point) / width * scale, kind.low)
    return rounded(values, qa, (point - kind.low) / width * scale, kind.high)


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


def _with_relu(operator: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def rectified(qa: Any, b: float) -> Tensor:
        return operator(qa, b).relu()

    rectified.__doc__ = f"Return what `{operator.__name__}` returns, zero where it is negative."
    return rectified


add_scalar_relu, mul_scalar_relu = _with_relu(add_scalar), _with_relu(mul_scalar)

_ARITHMETIC = """add add_relu add_scalar add_scalar_relu cat cat_relu max_pool2d mul mul_relu mul_scalar
mul_scalar_relu""".split()  # noqa: SIM905
OPERATORS: dict[str, Callable[..., Any]] = {
    **{name: globals()[name] for name in _ARITHMETIC},
    **_rounded_operators.OPERATORS,
    **_packed_weights.OPERATORS,
    **_embeddings.OPERATORS,
    **_recurrent.OPERATORS,
}
