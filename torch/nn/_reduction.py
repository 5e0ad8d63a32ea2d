"""Reductions of losses as the integers of the operators, for programs that call operators themselves."""

from __future__ import annotations

from torch.nn.functional import _reduction

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]


def get_enum(reduction: str) -> int:
    """Return the integer of a reduction: 0 for none, 1 for mean, 2 for sum.

    Raises:
        ValueError: If the reduction is unknown.
    """
    return _reduction.code(reduction)


def legacy_get_string(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> str:
    """Return the reduction that the deprecated arguments mean."""
    if emit_warning:
        return _reduction.resolve_legacy("mean", size_average, reduce)
    base = "sum" if size_average is False else "mean"
    return "none" if reduce is False else base


def legacy_get_enum(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> int:
    """Return the integer of the reduction that the deprecated arguments mean."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
