"""Expansion of one number to several dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def _as_tuple(value: Any, count: int) -> tuple[Any, ...]:
    """Return a sequence as a tuple, or a single value repeated `count` times."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count
