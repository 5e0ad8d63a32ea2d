"""Modules of parts that this build lacks: programs can import their names, and calling one is an error.

A package that has such modules gives a table of them; modules that exist as files come first.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from torch._absent import absent_class, answering, refusing


class NamedParts:
    """Find and load the modules of a table.

    Args:
        package: The name of the package that the modules are in.
        names: The names that each module has, separated by spaces: with a capital letter a class,
            else a function. `is_available` answers False.
        message: The message of the error, in which `{name}` is the full name.
        error: The class of the error of functions.
    """

    def __init__(
        self,
        package: str,
        names: dict[str, str],
        message: str,
        error: type[Exception] = RuntimeError,
    ) -> None:
        self._names: dict[str, str] = {}
        self._message, self._error = message, error
        for module, text in names.items():
            parts = module.split(".")
            for end in range(1, len(parts)):
                self._names.setdefault(".".join((package, *parts[:end])), "")
            self._names[f"{package}.{module}"] = text

    def install(self) -> None:
        """Make the modules importable."""
        sys.meta_path.append(self)  # type: ignore[arg-type]

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how to import a module of the table, None for any other."""
        if fullname not in self._names:
            return None
        return ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system create the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module."""
        here = module.__name__
        names = self._names[here].split()
        module.__doc__ = f"The names of {here}, a part that this build lacks."
        module.__dict__["__all__"] = names
        for name in names:
            message = self._message.format(name=f"{here}.{name}")
            if name == "is_available":
                vars(module).update(answering(here, {name: False}, here))
            elif name.lstrip("_")[0].isupper():
                setattr(module, name, absent_class(here, name, message))
            else:
                vars(module).update(refusing(here, (name,), self._error, message))
