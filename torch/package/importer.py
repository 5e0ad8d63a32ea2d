"""Where the modules of pickled objects come from: the running Python, packages, or several of them."""

from __future__ import annotations

import importlib
import pickle
from abc import ABC, abstractmethod
from types import ModuleType
from typing import Any

from torch.package import _mangling

__all__ = ["Importer", "ObjMismatchError", "ObjNotFoundError", "OrderedImporter", "sys_importer"]


class ObjNotFoundError(Exception):
    """A module does not have an object under its name.

    Example:
        >>> from torch.package import ObjNotFoundError, sys_importer
        >>> try:
        ...     sys_importer.get_name(lambda: 0)
        ... except ObjNotFoundError:
        ...     print("not found")
        not found
    """


class ObjMismatchError(Exception):
    """A module has another object under the name of an object.

    Example:
        >>> from torch.package import ObjMismatchError
        >>> issubclass(ObjMismatchError, Exception)
        True
    """


class Importer(ABC):
    """An environment from which modules are imported.

    Example:
        >>> from torch.package import sys_importer
        >>> sys_importer.get_name(torch.nn.Linear)
        ('torch.nn.modules.linear', 'Linear')
    """

    modules: dict[str, ModuleType]

    @abstractmethod
    def import_module(self, module_name: str) -> ModuleType:
        """Import a module.

        Raises:
            ModuleNotFoundError: If there is none.
        """

    def get_name(self, obj: Any, name: str | None = None) -> tuple[str, str]:
        """Return the module and the name under which this environment has an object.

        Args:
            obj: A class, a function or an object that pickles as a global name.
            name: The name, where it is known.

        Raises:
            ObjNotFoundError: If the module has no such name.
            ObjMismatchError: If it has another object under it.
        """
        if name is None:
            reduced = getattr(type(obj), "__reduce__", None) if not isinstance(obj, type) else None
            given = reduced(obj) if reduced not in (None, object.__reduce__) else None
            name = given if isinstance(given, str) else getattr(obj, "__qualname__", obj.__name__)
        module_name = _mangling.demangle(self.whichmodule(obj, name))
        try:
            found: Any = self.import_module(module_name)
            for part in name.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError):
            raise ObjNotFoundError(f"{obj} was not found as {module_name}.{name}") from None
        if found is obj:
            return module_name, name
        own = getattr(obj, "__module__", None)
        raise ObjMismatchError(
            f"The object provided is from {_origin(own)}, but {self} has another {module_name}.{name}, "
            f"from {_origin(getattr(found, '__module__', None))}. Pass the importers of all objects, in "
            f"the order in which they are to be asked, to the exporter"
        )

    def whichmodule(self, obj: Any, name: str) -> str:
        """Return the name of the module that has an object: its `__module__`, or one found by search."""
        own = getattr(obj, "__module__", None)
        if own is not None:
            return str(own)
        for module_name, module in self.modules.copy().items():
            if module_name != "__main__" and getattr(module, name, None) is obj:
                return module_name
        return "__main__"


def _origin(module_name: str | None) -> str:
    if module_name is not None and _mangling.is_mangled(module_name):
        return f"the package {_mangling.parent_of(module_name)}"
    return "the running Python"


class _SysImporter(Importer):
    """The running Python's own import system."""

    def import_module(self, module_name: str) -> ModuleType:
        return importlib.import_module(module_name)

    def whichmodule(self, obj: Any, name: str) -> str:
        return str(pickle.whichmodule(obj, name))  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return "sys_importer"


sys_importer = _SysImporter()


class OrderedImporter(Importer):
    """Several importers; the first that has a module provides it.

    Args:
        *args: The importers.

    Example:
        >>> from torch.package import OrderedImporter, sys_importer
        >>> OrderedImporter(sys_importer).import_module("math").__name__
        'math'
    """

    def __init__(self, *args: Importer) -> None:
        self._importers = args

    def import_module(self, module_name: str) -> ModuleType:
        """Import a module from the first importer that has it."""
        last: Exception | None = None
        for importer in self._importers:
            try:
                return importer.import_module(module_name)
            except ModuleNotFoundError as error:
                last = error
        raise last or ModuleNotFoundError(module_name)

    def whichmodule(self, obj: Any, name: str) -> str:
        """Return the name of the module that has an object."""
        for importer in self._importers:
            module_name = importer.whichmodule(obj, name)
            if module_name != "__main__":
                return module_name
        return "__main__"

    def __repr__(self) -> str:
        return f"OrderedImporter{self._importers}"
