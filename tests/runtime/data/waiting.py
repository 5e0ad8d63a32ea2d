"""Waiting for a condition that another process or thread will meet."""

from __future__ import annotations

import time
from collections.abc import Callable

SOON = 30.0  # seconds, generous for busy machines and sanitizers


def becomes_true(condition: Callable[[], bool], seconds: float = SOON) -> bool:
    """Return whether the condition becomes true within the time limit."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()
