"""A table of decompositions that libraries add to; without a compiler nothing reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from torch._decomp import register_decomposition as _register

Function = TypeVar("Function", bound=Callable[..., Any])

decompositions: dict[Any, Callable[..., Any]] = {}


def register_decomposition(ops: Any) -> Callable[[Function], Function]:
    """Return a decorator that adds a function to the table.

    Args:
        ops: The operators that the function computes.
    """
    return _register(ops, decompositions)
