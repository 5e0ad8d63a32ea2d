"""The base of what makes modules without files importable."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class ModuleFinder:
    """Finds and fills modules of a table, after those that exist as files.

    Args:
        table: What a subclass needs in order to fill each module, by the module's full name.
    """

    def __init__(self, table: dict[str, Any]) -> None:
        self._table = table

    def install(self) -> None:
        """Make the modules importable."""
        sys.meta_path.append(self)  # type: ignore[arg-type]

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how to import a module of the table, None for any other."""
        if name not in self._table:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system create the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module."""
        from torch._lazy_attributes import import_at_use

        self.fill(module)
        vars(module).setdefault("__getattr__", import_at_use(module.__name__))

    def fill(self, module: ModuleType) -> None:
        """Give a module its names."""
        raise NotImplementedError
