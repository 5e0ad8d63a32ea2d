"""Extremes and sums so far along a dimension, composed of operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._arithmetic import into

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["cummax", "cummin", "logcumsumexp"]


def _cumulative(input: Tensor, dim: int, largest: bool) -> tuple[Tensor, Tensor]:
    """Return the extremes so far and their last positions, in a logarithmic number of steps."""
    moved = input.unsqueeze(0) if input.dim() == 0 else input
    dim = 0 if input.dim() == 0 else dim
    size, values = moved.size(dim), moved.detach()
    shape = [1] * moved.dim()
    shape[dim] = -1
    places = torch.arange(size, device=input.device).view(shape).expand(moved.shape).contiguous()
    step = 1
    while step < size:
        old, new = values.narrow(dim, 0, size - step), values.narrow(dim, step, size - step)
        keep = (new >= old) if largest else (new <= old)
        keep = (keep | new.isnan()) if values.dtype.is_floating_point else keep
        if values.dtype.is_floating_point:
            keep = keep & ~(old.isnan() & ~new.isnan())
        early = places.narrow(dim, 0, size - step)
        chosen = torch.where(keep, places.narrow(dim, step, size - step), early)
        values = torch.cat([values.narrow(dim, 0, step), torch.where(keep, new, old)], dim)
        places = torch.cat([places.narrow(dim, 0, step), chosen], dim)
        step *= 2
    result = moved.gather(dim, places)
    return (result.squeeze(0), places.squeeze(0)) if input.dim() == 0 else (result, places)


def cummax(input: Tensor, dim: int, *, out: Any = None) -> Any:
    """Return the largest element so far along a dimension, and its index.

    Args:
        input: The tensor.
        dim: The dimension.
        out: The tensors for the results.

    Returns:
        A named tuple (values, indices); of equal elements the last one counts.

    Example:
        >>> torch.cummax(torch.tensor([1, 3, 2, 3]), 0).values
        tensor([1, 3, 3, 3])
    """
    return into(torch.return_types.cummax(_cumulative(input, dim, True)), out)


def cummin(input: Tensor, dim: int, *, out: Any = None) -> Any:
    """Return the smallest element so far along a dimension, and its index.

    Args:
        input: The tensor.
        dim: The dimension.
        out: The tensors for the results.

    Returns:
        A named tuple (values, indices); of equal elements the last one counts.

    Example:
        >>> torch.cummin(torch.tensor([3, 1, 2, 1]), 0).indices
        tensor([0, 1, 1, 3])
    """
    return into(torch.return_types.cummin(_cumulative(input, dim, False)), out)


def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithms of the cumulative sums of exponentials.

    Args:
        input: A floating tensor.
        dim: The dimension.
        out: The tensor for the result.

    Example:
        >>> torch.logcumsumexp(torch.zeros(3), 0)
        tensor([0.0000, 0.6931, 1.0986])
    """
    size, step, result = input.size(dim) if input.dim() else 1, 1, input
    while step < size:
        sums = torch.logaddexp(
            result.narrow(dim, 0, size - step), result.narrow(dim, step, size - step)
        )
        result = torch.cat([result.narrow(dim, 0, step), sums], dim)
        step *= 2
    return into(result.clone() if result is input else result, out)
