"""Ranges for Intel's profiler: this build lacks its library, so that they are not recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from torch._absent import answering as _answering
from torch._absent import refusing as _refusing

globals().update(_answering(__name__, {"is_available": False}, "ITT library"))
globals().update(
    _refusing(
        __name__,
        ("mark", "range_pop", "range_push"),
        RuntimeError,
        "ITT functions not installed. Are you sure you have a ITT build?",
    )
)


@contextlib.contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """Name the operations of a block, which needs the library.

    Args:
        msg: The name, in which `args` and `kwargs` are inserted.
        *args: See `str.format`.
        **kwargs: See `str.format`.

    Raises:
        RuntimeError: In this build, always.

    Example:
        >>> with torch.profiler.itt.range("step {}", 1):  # doctest: +SKIP
        ...     pass
    """
    globals()["range_push"](msg.format(*args, **kwargs))
    try:
        yield
    finally:
        globals()["range_pop"]()
