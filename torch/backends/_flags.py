"""Settings of a library as attributes of its module, with a setter and a context manager for them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any


def setter_and_context(
    module: str, settings: tuple[str, ...]
) -> tuple[Callable[..., tuple[Any, ...]], Callable[..., Any]]:
    """Return `set_flags` and `flags` for settings that are attributes of a module.

    Both take the settings as keyword arguments, with or without a leading underscore, and leave
    those that are None or not given. `set_flags` returns the values from before.
    """

    def set_flags(*args: Any, **values: Any) -> tuple[Any, ...]:
        owner = sys.modules[module]
        before = tuple(getattr(owner, name) for name in settings)
        given = {**dict(zip(settings, args, strict=False)), **values}
        for name, value in given.items():
            known = name.removeprefix("_")
            if known not in settings:
                raise TypeError(f"set_flags() got an unexpected keyword argument '{name}'")
            if value is not None:
                setattr(owner, known, value)
        return before

    @contextlib.contextmanager
    def flags(*args: Any, **values: Any) -> Iterator[None]:
        before = set_flags(*args, **values)
        try:
            yield
        finally:
            set_flags(*before)

    first = settings[0]
    value = repr(getattr(sys.modules[module], first))
    set_flags.__doc__ = (
        f"Set {', '.join(settings)}; return the values from before.\n\nExample:\n"
        f"    >>> before = {module}.set_flags({value})\n"
    )
    flags.__doc__ = (
        f"Context manager that sets {', '.join(settings)} for its block.\n\nExample:\n"
        f"    >>> with {module}.flags({first}={value}):\n    ...     pass\n"
    )
    set_flags.__module__ = flags.__module__ = module
    return set_flags, flags
