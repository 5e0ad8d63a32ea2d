"""torch.unique and torch.unique_consecutive, composed of sorting, comparing and scattering."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

__all__ = ["unique", "unique_consecutive"]


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the elements of a tensor, each once and in ascending order.

    Args:
        input: The tensor.
        sorted: Accepted for compatibility: the result is always sorted.
        return_inverse: Whether to return the index in the result of each element, too.
        return_counts: Whether to return how often each element occurs, too.
        dim: The dimension along which slices are compared; all elements if None.

    Returns:
        The elements, or a tuple of them with the indices and the counts that were requested.

    Example:
        >>> values, counts = torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
        >>> values, counts
        (tensor([1, 3]), tensor([1, 2]))
        >>> torch.unique(torch.tensor([[2, 1], [0, 5], [2, 1]]), dim=0)
        tensor([[0, 5],
                [2, 1]])
    """
    with torch.no_grad():
        if dim is None:
            values, order = input.flatten().sort(stable=True)
            rows = values
        else:
            rows = input.movedim(dim, 0)
            order = _lexicographic_order(rows.reshape(len(rows), -1))
            rows = rows[order]
        found, group, counts = _groups(rows)
        inverse = torch.empty_like(order).scatter_(0, order, group)
    return _result(input, found, inverse, counts, dim, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the elements of a tensor, each run of equal elements once.

    Args:
        input: The tensor.
        return_inverse: Whether to return the index in the result of each element, too.
        return_counts: Whether to return the length of each run, too.
        dim: The dimension along which slices are compared; all elements if None.

    Example:
        >>> values, counts = torch.unique_consecutive(
        ...     torch.tensor([1, 1, 2, 1]), return_counts=True
        ... )
        >>> values, counts
        (tensor([1, 2, 1]), tensor([2, 1, 1]))
    """
    with torch.no_grad():
        rows = input.flatten() if dim is None else input.movedim(dim, 0)
        found, inverse, counts = _groups(rows)
    return _result(input, found, inverse, counts, dim, return_inverse, return_counts)


def _lexicographic_order(rows: Tensor) -> Tensor:
    """Return the order that sorts rows by their first element, then by the second, and so on."""
    order = torch.arange(len(rows), device=rows.device)
    for column in reversed(range(rows.shape[1])):
        order = order[rows[order, column].argsort(stable=True)]
    return order


def _groups(rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the first of each run of equal rows, the number of each row's run, and their lengths."""
    count = len(rows)
    starts = torch.ones(count, dtype=torch.bool, device=rows.device)
    if count > 1:
        differ = rows[1:] != rows[:-1]
        starts[1:] = differ.reshape(count - 1, -1).any(1) if differ.dim() > 1 else differ
    group = starts.cumsum(0) - 1
    (positions,) = starts.nonzero(as_tuple=True)
    ends = torch.cat([positions[1:], positions.new_full((1,), count)])[: len(positions)]
    return rows[positions], group, ends - positions


def _result(
    input: Tensor,
    found: Tensor,
    inverse: Tensor,
    counts: Tensor,
    dim: int | None,
    return_inverse: bool,
    return_counts: bool,
) -> Any:
    values = found if dim is None else found.movedim(0, dim)
    shaped = inverse.reshape(input.shape) if dim is None else inverse
    parts = [(True, values.contiguous()), (return_inverse, shaped), (return_counts, counts)]
    chosen = tuple(part for wanted, part in parts if wanted)
    return chosen if len(chosen) > 1 else chosen[0]
