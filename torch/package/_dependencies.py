"""Modules that Python source imports, and the graph of which module imports which."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def imported_modules(source: str, package: str) -> dict[str, bool]:
    """Return what source code imports, in order, and whether that is a module for certain.

    Calls of `__import__` count too. What `from a import b` imports may be the module `a.b` or not.

    Args:
        source: The code.
        package: The package of the module, for relative imports.

    Raises:
        SyntaxError: If it is not Python.
    """
    found: dict[str, bool] = {}
    for node in ast.walk(ast.parse(source)):
        for name, is_certain in _imports_of(node, package):
            found[name] = found.get(name, False) or is_certain
    return found


def _imports_of(node: ast.AST, package: str) -> Iterator[tuple[str, bool]]:
    match node:
        case ast.Import(names=names):
            yield from ((alias.name, True) for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            base = _absolute(module or "", package, level)
            yield base, True
            yield from ((f"{base}.{alias.name}", False) for alias in names if alias.name != "*")
        case ast.Call(func=ast.Name(id="__import__"), args=[ast.Constant(value=str(name)), *_]):
            yield name, True


def _absolute(module: str, package: str, level: int) -> str:
    if level == 0:
        return module
    parts = package.split(".") if package else []
    base = ".".join(parts[: len(parts) - level + 1])
    return f"{base}.{module}".strip(".")


class DependencyGraph:
    """Modules and which of them import which, in the order in which they were found."""

    def __init__(self) -> None:
        self._successors: dict[str, dict[str, None]] = {}

    def add(self, module: str) -> None:
        """Add a module."""
        self._successors.setdefault(module, {})

    def add_edge(self, module: str, imported: str) -> None:
        """Record that one module imports another one."""
        self.add(module)
        self.add(imported)
        self._successors[module][imported] = None

    def __contains__(self, module: str) -> bool:
        return module in self._successors

    def predecessors(self, module: str) -> list[str]:
        """Return the modules that import a module."""
        return [name for name, imported in self._successors.items() if module in imported]

    def _reachable(self, start: str) -> set[str]:
        seen, pending = {start}, [start]
        while pending:
            for name in self._successors[pending.pop()]:
                if name not in seen:
                    seen.add(name)
                    pending.append(name)
        return seen

    def paths(self, start: str, end: str) -> DependencyGraph:
        """Return the part of the graph that is on a path from one module to another.

        Raises:
            ValueError: If one of them is not in the graph.
        """
        for module in (start, end):
            if module not in self:
                raise ValueError(f"The node {module} is not in the digraph.")
        part = DependencyGraph()
        for name in self._reachable(start):
            if end in self._reachable(name):
                for imported in self._successors[name]:
                    if end in self._reachable(imported):
                        part.add_edge(name, imported)
        return part

    def to_dot(self) -> str:
        """Return the graph in the language of Graphviz."""
        edges = "\n".join(
            f'"{module}" -> "{name}";' for module, all_ in self._successors.items() for name in all_
        )
        return f"digraph G {{\nrankdir = LR;\nnode [shape=box];\n{edges}\n}}\n"
