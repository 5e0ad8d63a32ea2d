"""make_tensor: random tensors for tests."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

_UNSIGNED = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)
_INTEGERS = (*_UNSIGNED, torch.int8, torch.int16, torch.int32, torch.int64)
_FLOAT8 = (
    torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
)  # fmt: skip
_FLOATING = (torch.float16, torch.bfloat16, torch.float32, torch.float64, *_FLOAT8)
_COMPLEX = (torch.complex32, torch.complex64, torch.complex128)
_SUPPORTED = frozenset((torch.bool, *_INTEGERS, *_FLOATING, *_COMPLEX))


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
        TypeError: If the dtype is neither a number nor boolean.
        ValueError: If the range is empty or beyond the dtype, or for both `noncontiguous` and
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
    if dtype not in _SUPPORTED:
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor()"
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


def _default_range(dtype: torch.dtype) -> tuple[int, int]:
    if dtype is torch.bool:
        return 0, 2
    if dtype in _INTEGERS:
        return 0 if dtype in _UNSIGNED else -9, 10
    return -9, 9


def _limits(dtype: torch.dtype) -> tuple[Any, Any]:
    """Return the range of all values of the dtype; integers exclude its end."""
    if dtype is torch.bool:
        return 0, 2
    if dtype in _INTEGERS:
        info = torch.iinfo(dtype)
        # randint takes no bound beyond int64.
        return info.min, min(info.max, torch.iinfo(torch.int64).max - 1) + 1
    finite = torch.finfo(dtype)
    return finite.min, finite.max


def _bounds(dtype: torch.dtype, low: float | None, high: float | None) -> tuple[Any, Any]:
    """Return the range: the default, or the given one within the limits of the dtype."""
    default, limits = _default_range(dtype), _limits(dtype)
    low, high = default[0] if low is None else low, default[1] if high is None else high
    if low != low or high != high:  # integers may be too large for math.isnan
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    point = low == high and dtype in (*_FLOATING, *_COMPLEX) and dtype not in _FLOAT8
    if low > high or (low == high and not point):
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    if point:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is "
            "deprecated since 2.1 and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    if high < limits[0] or low >= limits[1]:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only "
            f"supports [{limits[0]}, {limits[1]})"
        )
    low, high = max(low, limits[0]), min(high, limits[1])
    if dtype in _INTEGERS or dtype is torch.bool:
        return math.ceil(low), math.ceil(high)
    return low, high


def _draw(sizes: Any, dtype: torch.dtype, device: Any, low: Any, high: Any) -> Tensor:
    if dtype in _INTEGERS or dtype is torch.bool:
        return torch.randint(low, high, sizes, device=device, dtype=dtype)
    result = torch.empty(sizes, dtype=dtype, device=device)
    if dtype in _FLOAT8:
        return result.copy_(_draw(sizes, torch.float32, device, low, high))
    parts = torch.view_as_real(result) if dtype in _COMPLEX else result
    if high - low > torch.finfo(dtype).max:  # too wide for one draw
        parts.uniform_(low / 2, high / 2).mul_(2)
    else:
        parts.uniform_(low, high)
    return result
