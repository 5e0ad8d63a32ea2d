"""How the losses name their reductions."""

from __future__ import annotations

import warnings

_CODES = {"none": 0, "mean": 1, "sum": 2}


def code(reduction: str) -> int:
    """The number that the operators know a reduction by."""
    if reduction not in _CODES:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _CODES[reduction]


def legacy(
    reduction: str, size_average: bool | None, reduce: bool | None, stacklevel: int = 4
) -> str:
    """What `size_average` and `reduce` of old programs mean."""
    if size_average is None and reduce is None:
        return reduction
    kept = "sum" if size_average is False else "mean"
    meant = "none" if reduce is False else kept
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.",
        stacklevel=stacklevel,
    )
    return meant
