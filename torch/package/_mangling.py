"""Names of modules of packages: `<torch_package_0>.module`, so that no two modules have one name."""

from __future__ import annotations

import inspect
import linecache
from itertools import count
from types import ModuleType
from typing import Any
from weakref import WeakValueDictionary

_PREFIX = "<torch_package_"
_indices = count()
_modules: WeakValueDictionary[str, ModuleType] = WeakValueDictionary()
_getfile = inspect.getfile


def new_parent() -> str:
    """Return the first part of the names of the modules of a newly opened package."""
    return f"{_PREFIX}{next(_indices)}>"


def register(module: ModuleType) -> None:
    """Let `inspect` find the source of the classes of a package's module."""
    _modules[module.__name__] = module
    linecache.lazycache(str(module.__file__), vars(module))
    inspect.getfile = _find_file


def _find_file(object: Any) -> str:
    """Return the file that defines an object, as inspect.getfile does, also for classes of packages."""
    if inspect.isclass(object) and object.__module__ in _modules:
        return str(_modules[object.__module__].__file__)
    return _getfile(object)


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
