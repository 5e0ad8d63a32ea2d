"""Second names of functions and methods, such as those of NumPy."""

from __future__ import annotations

_NAMES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "divide": "div",
    "fix": "trunc",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "moveaxis": "movedim",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "subtract": "sub",
    "swapdims": "transpose",
    "true_divide": "div",
}
_FUNCTIONS = {
    "concat": "cat",
    "concatenate": "cat",
}
_OPERATORS = {
    "unsafe_chunk": "chunk",
    "unsafe_split": "split",
    "unsafe_split_with_sizes": "split_with_sizes",
}
"""Functions that are more than a second name, whose operators are not."""


def is_alias(name: str) -> bool:
    """Return whether a name is the second one of a function or method."""
    return name.rstrip("_") in _NAMES or name in _FUNCTIONS


def first_name(name: str) -> str | None:
    """Return the operator that a function or method has a second name for, in place for `name_`."""
    if name in _FUNCTIONS or name in _OPERATORS:
        return _FUNCTIONS.get(name) or _OPERATORS[name]
    first = _NAMES.get(name.rstrip("_"))
    return first and first + name[len(name.rstrip("_")) :]


def add_functions(namespace: dict[str, object]) -> list[str]:
    """Add the second names to a namespace that has the first, and return them."""
    made = [name for name, first in {**_NAMES, **_FUNCTIONS}.items() if first in namespace]
    for name in made:
        namespace.setdefault(name, namespace[_NAMES.get(name) or _FUNCTIONS[name]])
    return made


def add_methods(cls: type, base: type) -> None:
    """Add the second names of methods, in place or not, that a base class has."""
    for name, first in {**_NAMES, **{f"{n}_": f"{f}_" for n, f in _NAMES.items()}}.items():
        if hasattr(base, first) and not hasattr(base, name):
            setattr(cls, name, getattr(base, first))
