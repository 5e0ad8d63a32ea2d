"""The arguments that masked functions have in common: masks, dimensions and fill values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.masked.maskedtensor.core import is_masked_tensor, make

Dims = int | Sequence[int] | None


def broadcast_mask(input: Tensor, mask: Tensor) -> Tensor:
    """Return a mask as a boolean tensor of the input's shape.

    Raises:
        IndexError: If the mask has more dimensions than the input.
        RuntimeError: If its shape does not broadcast to the input's.
    """
    if mask.layout is not torch.strided:
        mask = mask.to_dense()
    if mask.ndim > input.ndim:
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the "
            "input)"
        )
    if mask.shape != input.shape:
        mask = torch.broadcast_to(mask, input.shape)
    return mask if mask.dtype == torch.bool else mask != 0


def fill_masked_out(input: Tensor, mask: Tensor | None, value: float | complex) -> Tensor:
    """Return the input with one value where the mask, or that of a masked tensor, excludes it."""
    if is_masked_tensor(input):
        return _Filled.apply(input.get_data(), input.get_mask(), value)  # type: ignore
    if mask is None:
        return input
    kept = broadcast_mask(input, mask)
    return torch.where(kept, input, torch.full((), value, dtype=input.dtype, device=input.device))


class _Filled(Function):
    """From the data of a masked tensor to a plain tensor; its gradient has the mask."""

    @staticmethod
    def forward(ctx: Any, data: Any, mask: Any, value: Any) -> Any:
        ctx.mask = mask
        return fill_masked_out(data, mask, value)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        data = grad._masked_data if is_masked_tensor(grad) else grad
        return make(data, ctx.mask), None, None


def require_strided(name: str, input: Tensor) -> None:
    """Raise ValueError for a sparse input of a function that has no rule for one."""
    if input.layout is not torch.strided and not is_masked_tensor(input):
        raise ValueError(f"masked {name} expects strided tensor (got {input.layout} tensor)")


def canonical_dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """Return the dimensions to reduce as non-negative numbers, in order; None and () mean all.

    Raises:
        IndexError: If a dimension is out of range.
        RuntimeError: If one appears twice.
    """
    if dim is None or (isinstance(dim, Sequence) and len(dim) == 0):
        return tuple(range(ndim))
    found: list[int] = []
    size = max(ndim, 1)
    for each in (dim,) if isinstance(dim, int) else dim:
        if not -size <= each < size:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], but got "
                f"{each})"
            )
        if each % size in found:
            raise RuntimeError(f"dim={each % size} appears multiple times in the list of dims")
        found.append(each % size)
    return tuple(sorted(found)) if ndim else ()


def lowest(name: str, dtype: torch.dtype) -> float:
    """Return the identity of a maximum over a dtype."""
    if dtype.is_floating_point:
        return float("-inf")
    _require_ordered(name, dtype)
    return torch.iinfo(dtype).min


def highest(name: str, dtype: torch.dtype) -> float:
    """Return the identity of a minimum over a dtype."""
    if dtype.is_floating_point:
        return float("inf")
    _require_ordered(name, dtype)
    return torch.iinfo(dtype).max


def _require_ordered(name: str, dtype: torch.dtype) -> None:
    if dtype == torch.bool:
        raise NotImplementedError(f"identity of {name} on torch.bool input")


def summed_dtype(input: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    """Return the dtype of a sum or a product: int64 for integers unless another is given."""
    if dtype is not None:
        return dtype
    exact = not (input.dtype.is_floating_point or input.dtype.is_complex)
    return torch.int64 if exact else input.dtype
