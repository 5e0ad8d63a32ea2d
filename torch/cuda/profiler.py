"""Which part of a program NVIDIA's profilers record."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch.cuda._lazy import check_error, cudart

__all__ = ["profile", "start", "stop"]


def start() -> None:
    """Start to record.

    Example:
        >>> torch.cuda.profiler.start()  # doctest: +SKIP
    """
    check_error(cudart().cudaProfilerStart())


def stop() -> None:
    """Stop to record.

    Example:
        >>> torch.cuda.profiler.stop()  # doctest: +SKIP
    """
    check_error(cudart().cudaProfilerStop())


@contextmanager
def profile() -> Iterator[None]:
    """Context manager that records its block.

    Example:
        >>> with torch.cuda.profiler.profile():  # doctest: +SKIP
        ...     pass
    """
    start()
    try:
        yield
    finally:
        stop()
