"""An exporter's decisions about modules, and the reasons why it cannot package some."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

from torch.package._dependencies import DependencyGraph
from torch.package.glob_group import GlobGroup

_HINT = (
    "Set debug=True when invoking PackageExporter for a visualization of where broken modules are "
    "coming from!"
)


class Action(Enum):
    """The ways to treat a module."""

    INTERN = "intern"
    EXTERN = "extern"
    MOCK = "mock"
    DENY = "deny"


@dataclass
class Rule:
    """An action for the modules of a group."""

    group: GlobGroup
    action: Action
    allow_empty: bool
    was_matched: bool = False


@dataclass
class ModuleState:
    """A module that the package needs: the decision about it, or why there is none."""

    action: Action | None = None
    problem: str = ""
    detail: str = ""


class EmptyMatchError(Exception):
    """No module matched a pattern that was given with `allow_empty=False`.

    Example:
        >>> from torch.package import EmptyMatchError, PackageExporter
        >>> exporter = PackageExporter("empty_demo.pt")
        >>> exporter.intern("no_such_module", allow_empty=False)
        >>> try:
        ...     exporter.close()
        ... except EmptyMatchError:
        ...     print("no match")
        no match
    """


class PackagingError(Exception):
    """Modules cannot be packaged: none of the patterns matches, or there is no source code.

    Args:
        modules: The modules of the package, by name.
        graph: Which module imports which.
        debug: Whether to show how the broken modules are reached.

    Example:
        >>> from torch.package import PackageExporter, PackagingError
        >>> exporter = PackageExporter("broken_demo.pt")
        >>> exporter.add_dependency("no_such_module")
        >>> try:
        ...     exporter.close()
        ... except PackagingError as error:
        ...     print(str(error).splitlines()[1])
        * Module did not match against any action pattern. Extern, mock, or intern it.
    """

    def __init__(self, modules: dict[str, Any], graph: DependencyGraph, debug: bool) -> None:
        broken: dict[str, list[str]] = {}
        for name, module in modules.items():
            if module.problem:
                broken.setdefault(module.problem, []).append(name)
        lines = [""]
        for problem, names in broken.items():
            lines.append(f"* {problem}")
            for name in names:
                lines.append(f"    {name}")
                if modules[name].detail:
                    lines.append(f"      Context: {modules[name].detail}")
                importers = graph.predecessors(name) if name in graph else []
                if debug and importers:
                    lines.append(f"      Imported by: {', '.join(importers)}")
        self.broken_modules = [name for names in broken.values() for name in names]
        super().__init__("\n".join([*lines, "", *([] if debug else [_HINT, ""])]))
        self.dependency_graph = graph


def source_of(module: ModuleType) -> str | None:
    """Return the source code of a module, None if it has none."""
    loader = getattr(module, "__loader__", None)
    try:
        if hasattr(loader, "get_source"):
            return loader.get_source(module.__name__)  # type: ignore[no-any-return]
        path = getattr(module, "__file__", None)
        return None if path is None else importlib.util.decode_source(Path(path).read_bytes())
    except (ImportError, OSError, SyntaxError, UnicodeDecodeError):
        return None


def why_no_source(module: ModuleType) -> str:
    """Return the problem with a module without source code."""
    if str(getattr(module, "__file__", "")).endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES)):
        return "Module is a C extension module. torch.package supports Python modules only."
    return "Module had no __file__ or source code. Extern or mock it."
