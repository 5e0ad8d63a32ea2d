"""Helpers of modes of __torch_dispatch__, under the names that libraries import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import torch

T = TypeVar("T")


def all_same_mode(modes: Iterable[Any]) -> bool:
    """Return whether all modes are the first one."""
    given = tuple(modes)
    return all(mode == given[0] for mode in given)


@contextmanager
def no_dispatch() -> Iterator[None]:
    """Call operators in a block without the `__torch_dispatch__` of subclasses and modes."""
    with torch._C._DisableTorchDispatch():  # type: ignore[attr-defined]
        yield
