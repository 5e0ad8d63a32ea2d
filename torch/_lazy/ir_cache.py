"""The compiled graphs that are kept."""

from __future__ import annotations

from torch._lazy import _bindings

__all__ = ["reset"]


def reset() -> None:
    """Forget all compiled graphs."""
    _bindings()._clear_ir_cache()
