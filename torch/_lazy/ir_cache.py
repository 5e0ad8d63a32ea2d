"""The cache of compiled graphs."""

from __future__ import annotations

from torch._lazy import _bindings

__all__ = ["reset"]


def reset() -> None:
    """Clear the cache."""
    _bindings()._clear_ir_cache()
