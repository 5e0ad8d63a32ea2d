"""Histograms of numbers and of points, composed of operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._outputs import C_NAMES, into

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
        _check_bounds(input, sequence)
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


def _check_count(number: int, dim: int) -> None:
    if number <= 0:
        raise RuntimeError(
            f"torch.histogram(): bins must be > 0, but got {number} for dimension {dim}"
        )


def _check_bounds(input: Tensor, bounds: Sequence[Tensor]) -> None:
    """Check the given bounds of the intervals of each dimension."""
    for dim, bins in enumerate(bounds):
        if bins.dtype != input.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but "
                f"got input with dtype {_c_name(input)} and bins for dimension {dim} with dtype "
                f"{_c_name(bins)}"
            )
        if bins.dim() != 1:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have one dimension, but got "
                f"{bins.dim()} dimensions in the bins tensor for dimension {dim}"
            )
        if not len(bins):
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have at least 1 element, but got 0 "
                f"elements in the bins tensor for dimension {dim}"
            )
        _check_count(len(bins) - 1, dim)


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
        _check_count(number, dim)
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


# ---- one dimension -------------------------------------------------------------------------------
def _check_histogram(input: Tensor, bins: Any, range: Any, weight: Tensor | None) -> None:
    """Check the arguments of histogram, which PyTorch checks as those of histogramdd."""
    function = "torch.histogramdd"
    if isinstance(bins, torch.Tensor):
        _check_bounds(input, (bins,))
    if weight is not None and weight.shape != input.shape:
        raise RuntimeError(
            f"{function}: if weight tensor is provided it should have the same shape as the input "
            f"tensor excluding its innermost dimension, but got input with shape "
            f"{[input.numel(), 1]} and weight with shape {list(weight.shape)}"
        )
    if weight is not None and weight.dtype != input.dtype:
        raise RuntimeError(
            f"{function}: if weight tensor is provided, input tensor and weight tensor should have "
            f"the same dtype, but got input({_c_name(input)}), and weight({_c_name(weight)})"
        )
    if not isinstance(bins, torch.Tensor):
        _check_count(bins, 0)
    if range is not None and len(range) != 2:
        raise RuntimeError(
            f"{function}: for a 1-dimensional histogram range should have 2 elements, but got "
            f"{len(range)}"
        )
    if input.dtype not in (torch.float32, torch.float64):
        name = input.type().rpartition(".")[2].removesuffix("Tensor")
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{name}'")


def _check_histogram_outputs(input: Tensor, out: Sequence[Tensor]) -> None:
    if len(out) != 2:
        raise TypeError(f"expected tuple of 2 elements but got {len(out)}")
    for name, tensor, where in (("bin_edges", out[1], " for dimension 0"), ("hist", out[0], "")):
        if tensor.dtype != input.dtype:
            raise RuntimeError(
                f"torch.histogram: input tensor and {name} tensor should have the same dtype, but "
                f"got input {_c_name(input)} and {name} {_c_name(tensor)}{where}"
            )


def _c_name(tensor: Tensor) -> str:
    """Return the name in C++ of a tensor's dtype, as in errors."""
    return C_NAMES.get(tensor.dtype, str(tensor.dtype).removeprefix("torch."))


def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Any = None,
) -> Any:
    """Count elements by intervals.

    Args:
        input: The elements.
        bins: The number of intervals of equal length, or the increasing bounds between them.
        range: The lower and upper bound of all; by default, the extrema of the elements.
        weight: What each element counts for, of the shape of `input`.
        density: Whether to return a density, whose integral is 1.
        out: The tensors to write to.

    Returns:
        A named tuple of the counts and the bounds of the intervals. The last interval includes
        its upper bound.

    Example:
        >>> counts, bounds = torch.histogram(torch.tensor([1.0, 2.0, 2.0]), 2)
        >>> counts, bounds
        (tensor([1., 2.]), tensor([1.0000, 1.5000, 2.0000]))
    """
    _check_histogram(input, bins, range, weight)
    if out is not None:
        _check_histogram_outputs(input, out)
    values = input.detach().reshape(-1)
    if isinstance(bins, int):
        low, high = range or ((float(values.min()), float(values.max())) if len(values) else (0, 0))
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RuntimeError(
                f"torch.histogramdd: dimension 0's range [{low:g}, {high:g}] is not finite"
            )
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} "
                "for dimension 0"
            )
        if low == high:
            low, high = (low - 0.5, high + 0.5) if len(values) or range else (0, 1)
        edges = torch.linspace(low, high, bins + 1, dtype=input.dtype, device=input.device)
    else:
        edges = bins
    places = torch.bucketize(values, edges, right=True) - 1
    places = torch.where(values == edges[-1], len(edges) - 2, places)
    inside = (values >= edges[0]) & (values <= edges[-1])
    weights = torch.ones_like(values) if weight is None else weight.reshape(-1).to(values.dtype)
    counts = torch.zeros(len(edges) - 1, dtype=input.dtype, device=input.device)
    counts = counts.index_add(0, places[inside], weights[inside])
    if density:
        counts = counts / counts.sum() / edges.diff()
    return into(torch.return_types.histogram((counts, edges)), out, "histogram")
