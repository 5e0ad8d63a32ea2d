"""Python files that are read but not imported: values of their tables, signatures of their functions."""

from __future__ import annotations
import __future__

import ast
import builtins
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

Definition: TypeAlias = ast.FunctionDef | ast.Assign | ast.AnnAssign
_FLAGS = __future__.annotations.compiler_flag  # annotations of tables need not be defined


class Unknown:
    """What the tables of a module do not define, such as a dtype of the C extension; or its attribute."""

    def __getattr__(self, name: str) -> Unknown:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class PythonSource:
    """A module's file. Nothing of it runs but the expressions that a table consists of."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(self._path.read_text(encoding="utf-8"), str(self._path))

    @cached_property
    def _definitions(self) -> Mapping[str, Definition]:
        found: dict[str, Definition] = {}
        for node in self._tree.body:
            match node:
                case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                    found[name] = node
                case ast.Assign(targets=[ast.Name(id=name)]):
                    found[name] = node
        return found

    @property
    def names(self) -> frozenset[str]:
        """The functions, classes and variables that the module defines, except by loops and calls."""
        classes = (node.name for node in self._tree.body if isinstance(node, ast.ClassDef))
        return frozenset((*self._definitions, *classes))

    def value(self, name: str, **given: Any) -> Any:
        """Return the value of a module's variable, which depends only on others and on `given`."""
        if name not in self._definitions:
            raise LookupError(f"{self._path.name} has no table {name}, which tools/pyi reads")
        namespace = dict(given)
        self._define(self._definitions[name], namespace)
        return namespace[name]

    def _define(self, node: Definition, namespace: dict[str, Any]) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id not in namespace:
                needed = self._definitions.get(part.id, node)
                if needed is not node:
                    self._define(needed, namespace)
                elif not hasattr(builtins, part.id):
                    namespace[part.id] = Unknown()
        module = ast.Module([node], [])
        exec(compile(module, str(self._path), "exec", _FLAGS), namespace)

    def imported(self, package: str) -> Iterator[tuple[str, str]]:
        """Yield each module below a package that is imported from, and a name that it is imported by."""
        for node in self._tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
                yield from ((node.module or "", alias.name) for alias in node.names)

    def listed(self, name: str) -> list[ast.FunctionDef]:
        """Return the functions of the module in a table of functions."""
        node = self._definitions[name]
        assert not isinstance(node, ast.FunctionDef)
        assert isinstance(node.value, ast.Tuple)
        found = [self.function(part.id) for part in node.value.elts if isinstance(part, ast.Name)]
        return [function for function in found if function is not None]

    def function(self, name: str) -> ast.FunctionDef | None:
        """Return a function of the module, or None if it has none of this name."""
        node = self._definitions.get(name)
        return node if isinstance(node, ast.FunctionDef) else None

    def methods(self, name: str) -> list[ast.FunctionDef]:
        """Return the methods of a class."""
        for node in self._tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                return [part for part in node.body if isinstance(part, ast.FunctionDef)]
        raise KeyError(name)

    def arguments_of_calls(self, name: str) -> Iterator[Any]:
        """Yield the second argument of each call of a function, with or without a module before its name."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and len(node.args) > 1:
                called = ast.unparse(node.func).rpartition(".")[2].lstrip("_")
                if called == name and isinstance(node.args[1], ast.Dict | ast.Tuple | ast.List):
                    yield ast.literal_eval(node.args[1])


class Package:
    """The Python package torch of a checkout."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._sources: dict[str, PythonSource] = {}

    def source(self, module: str) -> PythonSource:
        """Return the file of `torch.<module>`, read at most once."""
        if module not in self._sources:
            path = self._root.joinpath("torch", *module.split("."))
            file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            self._sources[module] = PythonSource(file)
        return self._sources[module]

    def has(self, module: str) -> bool:
        """Return whether `torch.<module>` has a file."""
        path = self._root.joinpath("torch", *module.split("."))
        files = (path / "__init__.py", path.with_suffix(".py"), path.with_suffix(".pyi"))
        return any(file.is_file() for file in files)

    def submodules(self, module: str) -> list[str]:
        """Return the names of the modules in the package `torch.<module>`."""
        folder = self._root.joinpath("torch", *module.split("."))
        names = {path.stem for path in folder.glob("*.py")}
        names |= {path.parent.name for path in folder.glob("*/__init__.py")}
        return sorted(names - {"__init__"})
