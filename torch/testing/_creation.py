"""make_tensor: random tensors for tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

_INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
_COMPLEX = (torch.complex64, torch.complex128)


def make_tensor(
    *shape: int | torch.Size | Sequence[int],
    dtype: torch.dtype,
    device: torch.device | str,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: torch.memory_format | None = None,
) -> Tensor:
    """Create a tensor of uniformly drawn elements.

    Args:
        *shape: The sizes.
        dtype: The dtype.
        device: The device.
        low: The smallest element; by default -9 (0 for unsigned integers and booleans).
        high: The end of the range, which integers do not reach; by default 9 (10 for integers, 2
            for booleans).
        requires_grad: Whether the tensor records gradients.
        noncontiguous: Whether the tensor is a view of every second element.
        exclude_zero: Whether zeros become the smallest positive number (1 for integers).
        memory_format: The order of the dimensions in memory.

    Raises:
        ValueError: If the range is empty or not finite, or for both `noncontiguous` and
            `memory_format`.
        RuntimeError: If `requires_grad` is true for integers.

    Example:
        >>> from torch.testing import make_tensor
        >>> x = make_tensor((2, 3), dtype=torch.float32, device="cpu", low=0, high=1)
        >>> x.shape, bool((x >= 0).all()), bool((x < 1).all())
        (torch.Size([2, 3]), True, True)
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"{noncontiguous=} and {memory_format=}"
        )
    differentiable = dtype.is_floating_point or dtype.is_complex
    if requires_grad and not differentiable:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}"
        )
    doubled = noncontiguous and math.prod(sizes) > 1
    result = _draw(sizes, dtype, device, *_bounds(dtype, low, high))
    if doubled:
        result = result.repeat_interleave(2, dim=-1)[..., ::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        smallest = torch.finfo(dtype).tiny if differentiable else 1
        result[result == 0] = smallest
    return result.requires_grad_() if requires_grad else result


def _bounds(dtype: torch.dtype, low: float | None, high: float | None) -> tuple[Any, Any]:
    """Return the range: the default, or the given one within the limits of the dtype."""
    if dtype is torch.bool:
        default, limits = (0, 2), (0, 2)
    elif dtype in _INTEGERS:
        info = torch.iinfo(dtype)
        default, limits = (max(-9, info.min), 10), (info.min, info.max)
    else:
        info = torch.finfo(dtype)
        default, limits = (-9, 9), (info.min, info.max)
    low, high = default[0] if low is None else low, default[1] if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low > high or (low == high and not dtype.is_floating_point and not dtype.is_complex):
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    low, high = max(low, limits[0]), min(high, limits[1])
    if dtype in _INTEGERS or dtype is torch.bool:
        return math.ceil(low), math.ceil(high)
    return low, high


def _draw(sizes: Any, dtype: torch.dtype, device: Any, low: Any, high: Any) -> Tensor:
    if dtype in _INTEGERS or dtype is torch.bool:
        return torch.randint(low, high, sizes, device=device, dtype=dtype)
    if dtype in _COMPLEX:
        parts = torch.float32 if dtype is torch.complex64 else torch.float64
        pairs = torch.empty((*sizes, 2), dtype=parts, device=device).uniform_(low, high)
        return torch.view_as_complex(pairs)
    if high - low > torch.finfo(dtype).max:  # too wide for one draw
        return _draw(sizes, dtype, device, low / 2, high / 2) * 2
    return torch.empty(sizes, dtype=dtype, device=device).uniform_(low, high)
