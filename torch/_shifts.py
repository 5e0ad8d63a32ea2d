"""Shifts of integers by bits, composed of products and floor divisions with powers of two."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def bitwise_left_shift(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Shift integers to the left by a number of bits.

    Args:
        input: A tensor of integers, or a number.
        other: The numbers of bits; below 0, or as many as the dtype has, the result is 0.
        out: The tensor to write into.

    Raises:
        NotImplementedError: For a dtype that is no integer.

    Example:
        >>> torch.bitwise_left_shift(torch.tensor([-1, 3]), torch.tensor([1, 2]))
        tensor([-2, 12])
    """
    return _written(_left(*_integers(input, other, "lshift")), out)


def bitwise_right_shift(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Shift integers to the right by a number of bits; the sign stays.

    Args:
        input: A tensor of integers, or a number.
        other: The numbers of bits; below 0, or as many as the dtype has, only the sign is left.
        out: The tensor to write into.

    Raises:
        NotImplementedError: For a dtype that is no integer.

    Example:
        >>> torch.bitwise_right_shift(torch.tensor([-7, 31]), torch.tensor([1, 3]))
        tensor([-4,  3])
    """
    return _written(_right(*_integers(input, other, "rshift")), out)


def _written(result: Tensor, out: Tensor | None) -> Tensor:
    return result if out is None else out.resize_(result.shape).copy_(result)


def _promoted(input: Any, other: Any) -> tuple[Tensor, Tensor]:
    """Return both operands as tensors of their common dtype."""
    dtype = torch.result_type(input, other)
    device = (input if isinstance(input, Tensor) else other).device
    return tuple(
        x.to(dtype) if isinstance(x, Tensor) else torch.tensor(x, dtype=dtype, device=device)
        for x in (input, other)
    )


def _integers(input: Any, other: Any, name: str) -> tuple[Tensor, Tensor]:
    value, bits = _promoted(input, other)
    if value.is_floating_point() or value.is_complex() or value.dtype == torch.bool:
        shown = value.type().removeprefix("torch.").removesuffix("Tensor")
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{shown}'")
    return value, bits


def _left(value: Tensor, bits: Tensor) -> Tensor:
    width = 8 * value.element_size()
    fits = (bits >= 0) & (bits < width)
    factor = torch.pow(2, torch.where(fits, bits, 0))
    return torch.where(fits, value * factor, 0)


def _right(value: Tensor, bits: Tensor) -> Tensor:
    width = 8 * value.element_size()
    signed = value.dtype != torch.uint8
    fits = (bits >= 0) & (bits < width)
    bits = torch.where(fits, bits, width - 1)
    # Two divisions, since the largest power of two of a signed dtype is one bit below its width.
    half = torch.where(bits > width - 2, 1, 0).to(value.dtype)
    shifted = value.div(torch.pow(2, bits - half), rounding_mode="floor")
    shifted = shifted.div(torch.pow(2, half), rounding_mode="floor")
    return shifted if signed else torch.where(fits, shifted, 0)


def shift(input: Tensor, other: Any, left: bool) -> Any:
    """Return `input << other` or `input >> other`; NotImplemented if `other` is no number."""
    if not isinstance(other, (Tensor, int, float)):
        return NotImplemented
    return (_left if left else _right)(*_integers(input, other, "lshift" if left else "rshift"))


def reversed_shift(input: Tensor, other: Any, left: bool) -> Any:
    """Return `other << input` or `other >> input`; NotImplemented if `other` is no number."""
    if not isinstance(other, (int, float)):
        return NotImplemented
    return (_left if left else _right)(*_integers(other, input, "lshift" if left else "rshift"))
