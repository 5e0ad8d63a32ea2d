"""Modules of parts that this build lacks: programs can import their names, but not call them.

A package lists its modules in a table. Modules that exist as files come first.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from torch._absent import absent_class, answering, refusing
from torch._module_finder import ModuleFinder


class NamedParts(ModuleFinder):
    """Find and load the modules of a table.

    Args:
        package: The name of the package that has the modules.
        names: The names in each module, separated by spaces: classes if they start with a capital
            letter, else functions. `is_available` returns False.
        message: The message of the error, in which `{name}` is the full name.
        error: The class of the error that functions raise.
        defined: The names that a module of this build defines, wherever the table has them, and
            its name: it has a dictionary `DEFINITIONS`.
    """

    def __init__(
        self,
        package: str,
        names: dict[str, str],
        message: str,
        error: type[Exception] = RuntimeError,
        defined: dict[str, str] | None = None,
    ) -> None:
        table: dict[str, str] = {}
        for module, text in names.items():
            parts = module.split(".")
            for end in range(1, len(parts)):
                table.setdefault(".".join((package, *parts[:end])), "")
            table[f"{package}.{module}"] = text
        super().__init__(table)
        self._message, self._error, self._defined = message, error, defined or {}

    def fill(self, module: ModuleType) -> None:
        """Give a module its names."""
        here = module.__name__
        names = self._table[here].split()
        module.__doc__ = f"The names of {here}, a part that this build lacks."
        module.__dict__["__all__"] = names
        for name in names:
            message = self._message.format(name=f"{here}.{name}")
            if name in self._defined:
                setattr(module, name, import_module(self._defined[name]).DEFINITIONS[name])
            elif name == "is_available":
                vars(module).update(answering(here, {name: False}, here))
            elif name.lstrip("_")[0].isupper():
                setattr(module, name, absent_class(here, name, message))
            else:
                vars(module).update(refusing(here, (name,), self._error, message))
