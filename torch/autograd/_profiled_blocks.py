"""The profile that runs, and the blocks of this package's own methods in it."""

from __future__ import annotations

from typing import Any

from torch import _C

running: Any = None
"""The running `torch.autograd.profiler.profile`, or None; a method tests it before it calls `begin`."""


def _profiler_enabled() -> bool:
    """Return whether a profile runs."""
    return running is not None


def begin(group: str, owner: object, method: str) -> Any:
    """Begin the block of a method's call; return what `end` needs."""
    _C._begin_profiled_block(f"{group}#{type(owner).__name__}.{method}")
    return running


def end(profile: Any) -> None:
    """End a block, unless its profile has ended."""
    if profile is running:
        _C._end_profiled_block()
