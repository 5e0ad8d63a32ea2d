"""What becomes of the parameters of channels where the elements of a tensor are moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch._quantized._quantizers import PerChannel, PerTensor, Quantizer

_KEEPING = frozenset(("alias", "clone", "contiguous", "detach", "lift_fresh", "_to_copy"))


def moved(name: str, before: Any, result: Any, args: tuple[Any, ...]) -> Quantizer:
    """Return the parameters of what an operator made of the integers of a tensor.

    Args:
        name: The operator.
        before: The quantized tensor.
        result: The integers that the operator returned.
        args: Its other arguments.

    Raises:
        RuntimeError: If the result has no parameters of its own.
    """
    quantizer = before._quantizer
    if isinstance(quantizer, PerTensor):
        return quantizer
    if name in _KEEPING:
        return quantizer.moved(result)
    if name in ("slice", "select"):
        dim = args[0] % before.dim() if args else 0
        if name == "select":
            return _selected(quantizer, dim, args[1])
        return _sliced(quantizer, dim, args[1:])
    if name == "unsqueeze":
        dim = args[0] % (before.dim() + 1)
        return quantizer.with_axis(quantizer.axis + (dim <= quantizer.axis))
    if name == "squeeze":
        return _squeezed(quantizer, before, args)
    if name in ("view", "reshape", "_unsafe_view", "_reshape_alias"):
        _check_size(quantizer, result)
        return quantizer
    raise RuntimeError("Setting strides is possible only on uniformly quantized tensor")


def _selected(quantizer: PerChannel, dim: int, index: int) -> Quantizer:
    if dim == quantizer.axis:
        return quantizer.of_channel(index)
    return quantizer.with_axis(quantizer.axis - (dim < quantizer.axis))


def _squeezed(quantizer: PerChannel, before: Any, args: tuple[Any, ...]) -> Quantizer:
    rank = before.dim()
    given = args[0] if args else range(rank)
    dims = {d % rank for d in ([given] if isinstance(given, int) else given)}
    gone = [d for d in dims if before.size(d) == 1]
    if quantizer.axis in gone:
        raise RuntimeError("Squeeze is only possible on non-axis dimension for Per-Channel")
    return quantizer.with_axis(quantizer.axis - sum(d < quantizer.axis for d in gone))


def _sliced(quantizer: PerChannel, dim: int, bounds: tuple[Any, ...]) -> Quantizer:
    if dim != quantizer.axis:
        return quantizer
    start, end, step = (*bounds, None, None, None)[:3]
    kept = slice(start, end, step)
    return replace(
        quantizer, scales=quantizer.scales[kept], zero_points=quantizer.zero_points[kept]
    )


def _check_size(quantizer: PerChannel, result: torch.Tensor) -> None:
    expected = result.shape[quantizer.axis] if quantizer.axis < result.dim() else 0
    got = quantizer.scales.numel()
    if expected != got:
        raise RuntimeError(
            f"length of scales must equal to channel, expected {expected} got, {got}"
        )
