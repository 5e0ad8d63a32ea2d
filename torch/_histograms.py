"""Histograms of points, composed of operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor


def histogramdd(
    input: Tensor,
    bins: int | Sequence[int] | Sequence[Tensor],
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """Count points by boxes.

    Args:
        input: The points, of shape (..., dimensions).
        bins: The number of intervals of equal length for all dimensions or for each, or the
            increasing bounds between the intervals of each dimension.
        range: The lower and the upper bound of each dimension in turn, for numbers of intervals;
            by default, the extrema of the points.
        weight: What each point counts for, of shape (...).
        density: Whether to return a density, whose integral is 1.

    Returns:
        A named tuple of the counts and a tuple of the bounds of each dimension. The last interval
        of a dimension includes its upper bound.

    Raises:
        RuntimeError: If the shapes or the ranges do not fit together.

    Example:
        >>> points = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
        >>> torch.histogramdd(points, bins=2).hist
        tensor([[0., 1.],
                [1., 1.]])
    """
    _check_points(input, weight)
    count = input.shape[-1]
    points = input.reshape(-1, count)
    sequence = [bins] * count if isinstance(bins, int) else list(bins)
    if sequence and isinstance(sequence[0], torch.Tensor):
        if len(sequence) != count:
            raise RuntimeError(
                f"torch.histogramdd: expected {count} sequences of bin edges for a {count}-dimensional "
                f"histogram but got {len(sequence)}"
            )
        edges = tuple(sequence)
    else:
        edges = _equal_edges(points, sequence, range)
    hist = _count(points, edges, weight)
    if density:
        hist = hist / hist.sum()
        for dim, bounds in enumerate(edges):
            widths = bounds.diff().to(hist.dtype)
            hist = hist / widths.view([-1] + [1] * (count - 1 - dim))
    return torch.return_types.histogramdd((hist, edges))


def _check_points(input: Tensor, weight: Tensor | None) -> None:
    """Check the shape and the dtype of the points, and the shape of their weights."""
    if input.dim() < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if weight is not None and weight.shape != input.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            "input tensor excluding its innermost dimension, but got input with shape "
            f"{list(input.shape)} and weight with shape {list(weight.shape)}"
        )
    if input.dtype not in (torch.float32, torch.float64):
        kind = input.type().rpartition(".")[2].removesuffix("Tensor")
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{kind}'")


def _equal_edges(
    points: Tensor, bins: Sequence[Any], bounds: Sequence[float] | None
) -> tuple[Tensor, ...]:
    """Return the bounds of intervals of equal length, for each dimension."""
    count = points.shape[1]
    if len(bins) != count:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    for dim, number in enumerate(bins):
        if number <= 0:
            raise RuntimeError(
                f"torch.histogram(): bins must be > 0, but got {number} for dimension {dim}"
            )
    if bounds is not None and len(bounds) != 2 * count:
        raise RuntimeError(
            f"torch.histogramdd: for a {count}-dimensional histogram range should have {2 * count} "
            f"elements, but got {len(bounds)}"
        )
    if bounds is not None:
        lows, highs = list(bounds[::2]), list(bounds[1::2])
    elif len(points):
        lows, highs = points.amin(0).tolist(), points.amax(0).tolist()
    else:
        lows, highs = [0.0] * count, [1.0] * count
    edges = []
    for dim, (number, low, high) in enumerate(zip(bins, lows, highs, strict=True)):
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} "
                f"for dimension {dim}"
            )
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges.append(
            torch.linspace(low, high, number + 1, dtype=points.dtype, device=points.device)
        )
    return tuple(edges)


def _count(points: Tensor, edges: tuple[Tensor, ...], weight: Tensor | None) -> Tensor:
    """Add up the weights of the points in each box."""
    shape = [len(bounds) - 1 for bounds in edges]
    place = torch.zeros(len(points), dtype=torch.int64, device=points.device)
    inside = torch.ones(len(points), dtype=torch.bool, device=points.device)
    for column, bounds, size in zip(points.unbind(1), edges, shape, strict=True):
        found = torch.bucketize(column.contiguous(), bounds, right=True) - 1
        found = torch.where(column == bounds[-1], size - 1, found)
        inside = inside & (column >= bounds[0]) & (column <= bounds[-1])
        place = place * size + found
    weights = (
        torch.ones(len(points), dtype=points.dtype, device=points.device)
        if weight is None
        else weight.reshape(-1).to(points.dtype)
    )
    total = 1
    for size in shape:
        total *= size
    hist = torch.zeros(total, dtype=points.dtype, device=points.device)
    return hist.index_add(0, place[inside], weights[inside]).view(shape)
