"""Whether this thread is in a traced call, and what records it; `torch.jit.trace` is built on this."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.jit._torchscript._statements import Statements

_state = threading.local()


class TracerWarning(Warning):
    """A warning about tracing."""

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Ignore these warnings where they come from modules of torch."""
        warnings.filterwarnings("ignore", category=TracerWarning, module=r"torch\.(?!jit)")


def is_tracing() -> bool:
    """Return whether this thread is in a call that `torch.jit.trace` records.

    Example:
        >>> torch.jit.is_tracing()
        False
    """
    return _get_tracing_state() is not None


_is_tracing = is_tracing  # torch._C has this name


def _get_tracing_state() -> Statements | None:
    """Return what records the calls of this thread, whose scopes hooks may enter; or None."""
    return getattr(_state, "statements", None)


@contextlib.contextmanager
def recording(statements: Statements) -> Iterator[None]:
    """Make `is_tracing` true: the calls of this thread are recorded as statements."""
    before, _state.statements = _get_tracing_state(), statements
    try:
        yield
    finally:
        _state.statements = before
