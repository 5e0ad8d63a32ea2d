"""The choice of a scale and a zero point for a range of numbers."""

from __future__ import annotations

import math

import torch

# 6.1e-5 in float32; products of smaller scales lose precision.
_SMALLEST_SCALE = 6.0999998822808266e-05


def _float32(value: float) -> float:
    return float(torch.tensor(value, dtype=torch.float32))


def choose(
    low: float, high: float, quant_min: int, quant_max: int, preserve_sparsity: bool = False
) -> tuple[float, int]:
    """Return the scale and the zero point with which integers cover a range of numbers.

    Zero is always represented exactly. A scale that is too small is enlarged.

    Args:
        low: The least number.
        high: The greatest number.
        quant_min: The least integer.
        quant_max: The greatest integer.
        preserve_sparsity: Whether a range on both sides of zero gets the middle of the integers as its zero point.

    Raises:
        RuntimeError: If the range is empty.
    """
    if low > high:
        raise RuntimeError(
            f"In ChooseQuantizationParams, min should be less than or equal to max, got {low} > {high}"
        )
    low, high = min(low, 0.0), max(high, 0.0)
    symmetric = preserve_sparsity and low < 0 < high
    if symmetric:
        below, above = -((quant_max - quant_min) // 2 + 1), (quant_max - quant_min) // 2
        widest = max(abs(_float32(low / below)), abs(_float32(high / above)))
        low, high = _float32(widest * below), _float32(widest * above)
    scale = (high - low) / (quant_max - quant_min)
    if _float32(scale) == 0.0 or math.isinf(_float32(1.0 / _float32(scale))):
        scale = 0.1
    if scale < _SMALLEST_SCALE:
        low, high = _widened(low, high, _SMALLEST_SCALE / scale, quant_max - quant_min)
        scale = _SMALLEST_SCALE
    if symmetric:
        return scale, _nudged((quant_min + quant_max) / 2, quant_min, quant_max)
    error_low = abs(quant_min) - abs(low / scale)
    error_high = abs(quant_max) - abs(high / scale)
    point = quant_min - low / scale if error_low < error_high else quant_max - high / scale
    return scale, _nudged(point, quant_min, quant_max)


def _widened(low: float, high: float, factor: float, steps: int) -> tuple[float, float]:
    if low == 0.0:
        return low, _float32(_SMALLEST_SCALE * steps)
    if high == 0.0:
        return _float32(-_SMALLEST_SCALE * steps), high
    return _float32(low * factor), _float32(high * factor)


def _nudged(point: float, quant_min: int, quant_max: int) -> int:
    return min(max(round(point), quant_min), quant_max)


def of_tensor(
    values: torch.Tensor, quant_min: int, quant_max: int, reduce_range: bool = False
) -> tuple[float, int]:
    """Return the scale and the zero point for the numbers of a tensor.

    Args:
        values: The numbers.
        quant_min: The least integer.
        quant_max: The greatest integer.
        reduce_range: Whether to leave one bit unused, so that sums of products do not overflow.
    """
    if reduce_range:
        quant_min, quant_max = int(quant_min / 2), quant_max // 2
    if not values.numel():
        return choose(0.0, 0.0, quant_min, quant_max)
    low, high = torch.aminmax(values)
    return choose(float(low), float(high), quant_min, quant_max)
