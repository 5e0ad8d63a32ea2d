"""Create the functions of devices and libraries that a build lacks: they answer, or raise errors.

A module of such a part is a table of names. It must know nothing of what the functions would do.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

Functions = dict[str, Callable[..., Any]]


def answering(module: str, answers: dict[str, Any], part: str) -> Functions:
    """Return functions that accept any arguments and return a constant.

    Args:
        module: The name of the module that gets the functions.
        answers: The result of each function.
        part: What the build lacks, for the docstrings.
    """
    return {
        name: _function(module, name, _Constant(value), _answer_text(module, name, value, part))
        for name, value in answers.items()
    }


def refusing(module: str, names: Iterable[str], error: type[Exception], message: str) -> Functions:
    """Return functions that raise an error whatever their arguments.

    Args:
        module: The name of the module that gets the functions.
        names: The names of the functions.
        error: The class of the error.
        message: Its message, in which `{name}` is the name of the function.
    """
    made = {}
    for name in names:
        text = message.format(name=name)
        shown = _refusal_text(name, error, text)
        made[name] = _function(module, name, _Refusal(error, text), shown)
        made[name]._absent = True  # docs/api_table.py lists it as named only
    return made


def _answer_text(module: str, name: str, value: Any, part: str) -> str:
    what = "Do nothing" if value is None else f"Return {value!r}"
    shown = "" if value is None else f"    {value!r}\n"
    return f"{what}, as this build has no {part}.\n\nExample:\n    >>> {module}.{name}()\n{shown}"


def _refusal_text(name: str, error: type[Exception], message: str) -> str:
    return (
        f"Raise an error, as this build lacks what `{name}` needs.\n\nRaises:\n"
        f"    {error.__name__}: Always.\n\nExample:\n    >>> {name}()  # doctest: +SKIP\n"
        f"    Traceback (most recent call last):\n        ...\n    {error.__name__}: {message}\n"
    )


class _Constant:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        return copy.copy(self.value)


class _Refusal:
    def __init__(self, error: type[Exception], message: str) -> None:
        self.error, self.message = error, message

    def __call__(self) -> Any:
        raise self.error(self.message)


def _function(module: str, name: str, body: Callable[[], Any], text: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return body()

    function.__module__, function.__doc__ = module, text
    function.__name__ = function.__qualname__ = name
    return function


class absent_context:
    """Context manager of a device that the build lacks: it accepts None or a negative index only.

    Example:
        >>> with torch.xpu.device(None):  # doctest: +SKIP
        ...     pass
    """

    def __init__(self, target: Any = None, **options: Any) -> None:
        index = getattr(target, "index", target)
        if target is not None and not (isinstance(index, int) and index < 0):
            raise RuntimeError(f"this build has no such device: {target}")

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        pass


def absent_class(module: str, name: str, message: str) -> type:
    """Return a class that can be named and tested with isinstance, but has no instances."""

    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(message)

    text = (
        f"The class {module}.{name}, of which this build makes no instances.\n\nExample:\n"
        f"    >>> isinstance(1, {module}.{name})\n    False\n"
    )
    return type(
        name, (), {"__new__": __new__, "__module__": module, "__doc__": text, "_absent": True}
    )
