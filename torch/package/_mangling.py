"""Names of modules of packages: `<torch_package_0>.module`, so that no two modules have one name."""

from __future__ import annotations

from itertools import count
from typing import Any

_PREFIX = "<torch_package_"
_indices = count()


def new_parent() -> str:
    """Return the first part of the names of the modules of a newly opened package."""
    return f"{_PREFIX}{next(_indices)}>"


def is_mangled(name: str) -> bool:
    """Return whether a name is that of a module of a package."""
    return name.startswith(_PREFIX)


def parent_of(name: str) -> str:
    """Return the first part of a name."""
    return name.partition(".")[0]


def demangle(name: str) -> str:
    """Return a name as the package has it; other names are unchanged."""
    return name.partition(".")[2] if is_mangled(name) else name


def is_from_package(obj: Any) -> bool:
    """Return whether an object, or its class, comes from a module of a package.

    Example:
        >>> torch.package.is_from_package(torch.nn.Linear(1, 1))
        False
    """
    name = getattr(obj, "__name__", "") if _is_module(obj) else getattr(obj, "__module__", None)
    return is_mangled(name or type(obj).__module__)


def _is_module(obj: Any) -> bool:
    return type(obj).__name__ == "module"
