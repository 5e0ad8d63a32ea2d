"""What Python source imports, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["find_files_source_depends_on"]


def find_files_source_depends_on(src: str, package: str) -> list[tuple[str, str | None]]:
    r"""Return what source code imports: pairs of a module and a name imported from it, or None.

    Calls of `__import__` with constants count too. A name may be an attribute or a submodule.

    Args:
        src: The code.
        package: The package of the module, for relative imports.

    Raises:
        ImportError: If a relative import leaves the package.
        SyntaxError: If it is not Python.

    Example:
        >>> from torch.package.find_file_dependencies import find_files_source_depends_on
        >>> find_files_source_depends_on("import a.b\nfrom . import c", "package")
        [('a.b', None), ('package', 'c')]
    """
    found: dict[tuple[str, str | None], None] = {}
    for node in ast.walk(ast.parse(src)):
        found.update(dict.fromkeys(_imports_of(node, package)))
    return list(found)


def _imports_of(node: ast.AST, package: str) -> Iterator[tuple[str, str | None]]:
    match node:
        case ast.Import(names=names):
            yield from ((alias.name, None) for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            base = _absolute(module or "", package, level)
            yield from ((base, None if alias.name == "*" else alias.name) for alias in names)
        case ast.Call(func=ast.Name(id="__import__"), args=[ast.Constant(value=str(name)), *rest]):
            given = dict(zip(("globals", "locals", "fromlist", "level"), rest, strict=False))
            given.update({word.arg: word.value for word in node.keywords if word.arg})
            level = _constant(given.get("level"), 0)
            if isinstance(level, int):
                base = _absolute(name, package, level)
                names = [each for each in _constant(given.get("fromlist"), ()) if each]
                yield from ((base, each) for each in names or [None])


def _constant(node: ast.AST | None, default: object) -> object:
    """Return the value of an expression of constants, else the default."""
    try:
        return default if node is None else ast.literal_eval(node)
    except ValueError:
        return default


def _absolute(module: str, package: str, level: int) -> str:
    if level == 0:
        return module
    parts = package.split(".")
    if level > len(parts):
        raise ImportError("attempted relative import beyond top-level package")
    base = ".".join(parts[: len(parts) - level + 1])
    return f"{base}.{module}".strip(".")
