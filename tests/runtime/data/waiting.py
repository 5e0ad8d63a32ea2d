"""For what another process or thread does in its own time."""

from __future__ import annotations

import time
from collections.abc import Callable

SOON = 30.0  # seconds: a machine may be busy, and a sanitizer slow


def becomes_true(condition: Callable[[], bool], seconds: float = SOON) -> bool:
    """Whether the condition holds before the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()
