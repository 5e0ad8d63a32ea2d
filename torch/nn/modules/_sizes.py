"""One number for several dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def repeated(value: Any, count: int) -> tuple[Any, ...]:
    """A tuple as it is; one value, `count` times."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count
