"""The arithmetic of observers: from ranges of numbers to scales and zero points."""

from __future__ import annotations

from typing import Any

import torch

Tensor = torch.Tensor

SYMMETRIC = (torch.per_tensor_symmetric, torch.per_channel_symmetric)
PER_CHANNEL = (
    torch.per_channel_affine,
    torch.per_channel_symmetric,
    torch.per_channel_affine_float_qparams,
)
_RANGES = {
    torch.qint8: (-128, 127),
    torch.int8: (-128, 127),
    torch.quint8: (0, 255),
    torch.uint8: (0, 255),
    torch.qint32: (-(2**31), 2**31 - 1),
    torch.int32: (-(2**31), 2**31 - 1),
    torch.int16: (-(2**15), 2**15 - 1),
    torch.uint16: (0, 2**16 - 1),
    torch.quint4x2: (0, 15),
}
_REDUCIBLE = (torch.qint8, torch.int8, torch.quint8, torch.uint8)


def range_of_integers(
    dtype: torch.dtype, reduce_range: bool, quant_min: int | None, quant_max: int | None
) -> tuple[int, int]:
    """Return the least and the greatest integer.

    Args:
        dtype: The quantized dtype.
        reduce_range: Whether to halve the range.
        quant_min: The least integer; None for that of the dtype.
        quant_max: The greatest integer; None for that of the dtype.

    Raises:
        AssertionError: If the dtype has no integers, or the range does not contain zero.
    """
    if dtype not in _RANGES and not str(dtype).startswith("torch.float8"):
        raise AssertionError(
            f"Default Observer only works for quantized and integer dtypes, got {dtype}"
        )
    own = _RANGES.get(dtype, (-128, 127))
    if quant_min is None or quant_max is None:
        if reduce_range and dtype in _REDUCIBLE:
            return own[0] // 2, own[1] // 2
        return own
    if not quant_min <= 0 <= quant_max:
        raise AssertionError("Used-specified quantization range must include 0.")
    if quant_min >= quant_max:
        raise AssertionError(
            "qmin must be strictly less than qmax for user-specified quantization range."
        )
    if reduce_range and dtype in _REDUCIBLE:
        return quant_min // 2, quant_max // 2
    return quant_min, quant_max


def parameters_of_range(
    low: Tensor,
    high: Tensor,
    integers: tuple[int, int],
    scheme: torch.qscheme,
    dtype: torch.dtype,
    eps: Tensor,
    custom_range: bool,
) -> tuple[Tensor, Tensor]:
    """Return the scale and the zero point for a range of numbers, or for one of each channel.

    Args:
        low: The least number, without dimensions or of the shape (channels).
        high: The greatest number.
        integers: The least and the greatest integer.
        scheme: How integers stand for numbers.
        dtype: The quantized dtype.
        eps: The least scale.
        custom_range: Whether `integers` differ from those of the dtype.

    Returns:
        Tensors of the shape (1) or (channels).
    """
    if scheme == torch.per_channel_affine_float_qparams:
        return _as_vectors(*_with_float_zero_point(low, high, integers, eps))
    below, above = torch.clamp(low, max=0.0), torch.clamp(high, min=0.0)
    if scheme in SYMMETRIC:
        return _as_vectors(*_symmetric(below, above, integers, dtype, eps, custom_range))
    quant_min, quant_max = integers
    scale = torch.max((above - below) / float(quant_max - quant_min), eps.to(low.device))
    point = quant_min - torch.round(below / scale).to(torch.int)
    return _as_vectors(
        scale.reshape(low.shape), point.clamp(quant_min, quant_max).reshape(low.shape)
    )


def _symmetric(
    below: Tensor,
    above: Tensor,
    integers: tuple[int, int],
    dtype: torch.dtype,
    eps: Tensor,
    custom_range: bool,
) -> tuple[Tensor, Tensor]:
    quant_min, quant_max = integers
    widest = torch.max(-below, above)
    scale = torch.max(widest / (float(quant_max - quant_min) / 2), eps.to(below.device))
    middle = 0
    if dtype in (torch.quint8, torch.uint8):
        middle = (quant_min + quant_max) // 2 if custom_range else 128
    elif dtype is torch.uint16:
        middle = 2**15
    point = torch.full(below.shape, middle, dtype=torch.int64, device=below.device)
    return scale.reshape(below.shape), point


def _with_float_zero_point(
    low: Tensor, high: Tensor, integers: tuple[int, int], eps: Tensor
) -> tuple[Tensor, Tensor]:
    scale = (high - low) / float(integers[1] - integers[0])
    scale = torch.where(scale > eps.to(low.device), scale, torch.ones_like(scale))
    return scale, -1 * low / scale


def _as_vectors(scale: Tensor, point: Tensor) -> tuple[Tensor, Any]:
    if scale.dim():
        return scale, point
    return scale.reshape(1), point.reshape(1)
