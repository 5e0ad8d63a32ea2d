"""Helpers of decompositions: names of operators, computation in more precise types, dimensions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor
aten = torch.ops.aten
_LOW = (torch.float16, torch.bfloat16)


def precise(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compute 16-bit floats in float32 and return 16 bits, as kernels do."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        low = next((x.dtype for x in args if isinstance(x, Tensor) and x.is_floating_point()), None)
        if low not in _LOW:
            return function(*args, **kwargs)
        result = function(*(raised(x) for x in args), **{k: raised(x) for k, x in kwargs.items()})
        return lowered(result, low)

    return wrapper


def raised(value: Any) -> Any:
    """Return a tensor of 16-bit floats as float32, and any other object unchanged."""
    return value.float() if isinstance(value, Tensor) and value.dtype in _LOW else value


def lowered(value: Any, dtype: torch.dtype) -> Any:
    """Return floating tensors, which may be in a tuple, as another dtype."""
    if isinstance(value, tuple):
        return tuple(lowered(each, dtype) for each in value)
    if isinstance(value, Tensor) and value.is_floating_point():
        return value.to(dtype)
    return value


def wrapped(dims: Any, rank: int) -> list[int]:
    """Return dimensions counted from the front; all if there are none."""
    if dims is None:
        return list(range(rank))
    chosen = [dims] if isinstance(dims, int) else list(dims)
    return [d % max(rank, 1) for d in chosen] or list(range(rank))


def numel_of(tensor: Tensor, dims: list[int]) -> int:
    """Return the number of elements that a reduction over dimensions combines."""
    total = 1
    for d in dims:
        total *= tensor.shape[d] if tensor.dim() else 1
    return total


def written(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the decomposition of the in-place form of an operator."""

    def in_place(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return self.copy_(function(self, *args, **kwargs))

    return in_place


def stored(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the decomposition of the out= form of an operator with one result."""

    def to_out(*args: Any, out: Tensor, **kwargs: Any) -> Tensor:
        result = function(*args, **kwargs)
        if out.shape != result.shape:
            out.resize_(result.shape)
        return out.copy_(result)

    return to_out
