"""The modules whose functions a program calls."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["trace_dependencies"]


def trace_dependencies(
    callable: Callable[..., Any], inputs: Iterable[tuple[Any, ...]]
) -> list[str]:
    """Return the modules of the Python functions that run when a function is called.

    Args:
        callable: The function.
        inputs: The tuple of arguments of each call.

    Example:
        >>> from torch.package.analyze import trace_dependencies
        >>> "json.encoder" in trace_dependencies(__import__("json").dumps, [([1],)])
        True
    """
    modules: dict[str, None] = {}

    def record(frame: Any, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            name = frame.f_globals.get("__name__")
            if event == "c_call":
                name = getattr(argument, "__module__", None)
            if isinstance(name, str):
                modules[name] = None

    before = sys.getprofile()
    try:
        sys.setprofile(record)
        for arguments in inputs:
            callable(*arguments)
    finally:
        sys.setprofile(before)
    return [name for name in modules if name not in (__name__, "sys")]
