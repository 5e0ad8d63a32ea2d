"""Modules without files, which programs import names from that another module defines here."""

from __future__ import annotations

import sys
from importlib import import_module

from torch._module_finder import ModuleFinder

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


class _OtherHomes(ModuleFinder):
    """Finds the modules of `torch._moved_modules`, a table that is read when a first one is asked for."""

    def __init__(self) -> None:
        super().__init__({})

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how to import a module of the table, None for any other."""
        if not name.startswith("torch."):
            return None
        if not self._table:
            from torch._moved_modules import MODULES

            self._table = MODULES
        if name.startswith("torch.utils.") and name not in self._table:
            from torch.utils._parts import FINDER  # not before: `import torch` needs torch.utils

            return FINDER.find_spec(name, path, target)
        return super().find_spec(name, path, target)

    def fill(self, module: ModuleType) -> None:
        """Copy the names from the module that defines them."""
        home, text = self._table[module.__name__]
        source = _find_home(home)
        names = text.split()
        if text == "*":  # but for submodules, which have names of their own in the other place
            below = f"{home}."
            names = [
                name
                for name in dir(source)
                if name[:2] != "__" and not _is_module_below(getattr(source, name, None), below)
            ]
        pairs = [pair.partition("=")[::2] for pair in names]
        present = {
            name: getattr(source, first or name)
            for name, first in pairs
            if hasattr(source, first or name)
        }
        vars(module).update(present)
        module.__doc__ = f"The names of {home} that programs import from here."
        module.__dict__["__all__"] = list(present)


def _is_module_below(value: Any, package: str) -> bool:
    return type(value) is type(sys) and value.__name__.startswith(package)


def _find_home(path: str) -> Any:
    """Return a module, or an attribute of a module such as torch._C._VariableFunctions."""
    try:
        return import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(import_module(module), name)


def install() -> None:
    """Make the modules importable."""
    _OtherHomes().install()
