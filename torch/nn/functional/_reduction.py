"""Reductions of losses, and their deprecated spellings."""

from __future__ import annotations

import warnings

from torch import Tensor

_CODES = {"none": 0, "mean": 1, "sum": 2}


def code(reduction: str) -> int:
    """Return the integer that the operators use for a reduction.

    Raises:
        ValueError: If the reduction is unknown.
    """
    if reduction not in _CODES:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _CODES[reduction]


def resolve_legacy(
    reduction: str, size_average: bool | None, reduce: bool | None, stacklevel: int = 4
) -> str:
    """Return the reduction that `size_average` and `reduce` mean, and warn if they are used."""
    if size_average is None and reduce is None:
        return reduction
    base = "sum" if size_average is False else "mean"
    resolved = "none" if reduce is False else base
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{resolved}' instead.",
        stacklevel=stacklevel,
    )
    return resolved


def reduce(values: Tensor, reduction: str) -> Tensor:
    """Apply a reduction to a tensor of losses.

    Raises:
        ValueError: If the reduction is unknown.
    """
    if reduction not in _CODES:
        raise ValueError(
            f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'."
        )
    if reduction == "none":
        return values
    return values.mean() if reduction == "mean" else values.sum()
