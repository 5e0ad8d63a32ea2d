"""Marks and ranges in the timelines of NVIDIA's profilers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import _C

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


def _nvtx() -> Any:
    module = getattr(_C, "_nvtx", None)
    if module is None:
        raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")
    return module


def range_push(msg: str) -> int:
    """Begin a range inside the one that is open in this thread, and return its depth.

    Example:
        >>> torch.cuda.nvtx.range_push("forward")  # doctest: +SKIP
        0
    """
    return _nvtx().rangePushA(msg)


def range_pop() -> int:
    """End the range that was begun last in this thread, and return its depth.

    Example:
        >>> torch.cuda.nvtx.range_pop()  # doctest: +SKIP
        0
    """
    return _nvtx().rangePop()


def range_start(msg: str) -> int:
    """Begin a range that any thread may end, and return its number.

    Example:
        >>> number = torch.cuda.nvtx.range_start("step")  # doctest: +SKIP
    """
    return _nvtx().rangeStartA(msg)


def range_end(range_id: int) -> None:
    """End a range that `range_start` began.

    Example:
        >>> torch.cuda.nvtx.range_end(number)  # doctest: +SKIP
    """
    _nvtx().rangeEnd(range_id)


def mark(msg: str) -> None:
    """Mark this moment.

    Example:
        >>> torch.cuda.nvtx.mark("loaded")  # doctest: +SKIP
    """
    _nvtx().markA(msg)


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """Context manager and decorator for a range.

    Args:
        msg: The name, with `str.format` placeholders for the other arguments.
        *args: What `msg` shows.
        **kwargs: What `msg` shows by name.

    Example:
        >>> with torch.cuda.nvtx.range("step {}", 3):  # doctest: +SKIP
        ...     pass
    """
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
