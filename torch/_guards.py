"""The state of graph capture, which never runs in this build."""

from __future__ import annotations

from typing import Any

from torch._absent import answering as _answering

globals().update(
    _answering(__name__, {"active_fake_mode": None, "detect_fake_mode": None}, "compiler")
)


class TracingContext:
    """The context of a graph capture in progress; there never is one.

    Example:
        >>> from torch._guards import TracingContext
        >>> TracingContext.try_get()
    """

    @staticmethod
    def try_get() -> Any:
        """Return None, as nothing is captured."""
        return None

    @staticmethod
    def get() -> Any:
        """Refuse, as nothing is captured.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("TracingContext.get() must be called within an ongoing trace.")


class CompileContext(TracingContext):
    """The compilation in progress; there is none."""

    @staticmethod
    def current_compile_id() -> Any:
        """Return None, as nothing is compiled."""
        return None
