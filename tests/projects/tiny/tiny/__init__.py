"""Greetings made by a C library."""

from __future__ import annotations

from ._C import count, greet


def words() -> list[str]:
    """Every greeting, in the order of words.yaml."""
    return [greet(index) for index in range(count())]
