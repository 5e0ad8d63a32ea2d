"""The Python modules of torch import each other in one direction; imports in functions count too.

Imports for type checkers do not count, nor does what a module uses through the package torch, such as
`torch.sparse_coo_tensor`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
Arrow = tuple[str, str]
Graph = dict[str, set[str]]

# Imports that close a circle, each with the reason why it would read worse without it.
ALLOWED: dict[Arrow, str] = {
    ("torch._quantized._tensor", "torch._utils"): (
        "pickles of a quantized tensor name a function of torch._utils, which makes one"
    ),
    ("torch.ao.nn.quantizable.modules.rnn", "torch.ao.quantization.quantize"): (
        "prepare() makes an LSTM of observed parts, which prepare() itself observes"
    ),
    ("torch.ao.nn.quantized.modules.rnn", "torch.ao.quantization.quantize"): (
        "convert() makes an LSTM of quantized parts, which convert() itself replaces"
    ),
}


def name_of(file: Path, root: Path) -> str:
    """Return the name of a module."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_for_types(node: ast.stmt) -> bool:
    """Return whether statements run only in type checkers."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def statements_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a module runs, functions included."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and is_for_types(child):
            for other in child.orelse:
                yield other
                yield from statements_of(other)
            continue
        yield child
        yield from statements_of(child)


def imported_names(node: ast.AST, package: str) -> Iterator[str]:
    """Yield the modules that an import names, and the names that it takes from them."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        source = ".".join([*above, *filter(None, [node.module])]) if node.level else node.module
        yield from (f"{source}.{alias.name}" for alias in node.names)


def graph_of(root: Path) -> Graph:
    """Return what each module below torch/ imports; the package torch itself does not count."""
    files = {name_of(file, root): file for file in sorted((root / "torch").rglob("*.py"))}
    graph: Graph = {name: set() for name in files}
    for name, file in files.items():
        package = name if file.name == "__init__.py" else name.rpartition(".")[0]
        for node in statements_of(ast.parse(file.read_text())):
            for wanted in imported_names(node, package):
                found = wanted if wanted in files else wanted.rpartition(".")[0]
                if found in files and found not in ("torch", name):
                    graph[name].add(found)
    return graph


@cache
def torch_graph() -> Graph:
    """Return the graph of this checkout."""
    return graph_of(ROOT)


def circle(graph: Graph, without: set[Arrow]) -> list[str]:
    """Return the modules of a circle, or nothing."""
    kept = {
        name: {to for to in found if (name, to) not in without} for name, found in graph.items()
    }
    try:
        TopologicalSorter(kept).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other() -> None:
    found = circle(torch_graph(), set(ALLOWED))
    assert not found, f"{' <- '.join(found)}: move what both need to a module of its own"


@pytest.mark.parametrize("arrow", ALLOWED, ids=" -> ".join)
def test_allowed_import_closes_a_circle(arrow: Arrow) -> None:
    name, imported = arrow
    assert imported in torch_graph().get(name, ()), "the import is gone"
    assert circle(torch_graph(), set(ALLOWED) - {arrow}), "the import closes no circle any more"


def test_every_kind_of_import_counts(tmp_path: Path) -> None:
    package = tmp_path / "torch" / "part"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "first.py").write_text("def call():\n    from torch.part import second\n")
    (package / "second.py").write_text("from .third import name\n")
    (package / "third.py").write_text("import torch.part.first\n")
    graph = graph_of(tmp_path)
    assert set(circle(graph, set())) == {f"torch.part.{n}" for n in ("first", "second", "third")}
    checked = "if TYPE_CHECKING:\n    import torch.part.first\nelse:\n    import torch.part\n"
    (package / "third.py").write_text(checked)
    assert graph_of(tmp_path)["torch.part.third"] == {"torch.part"}
    assert not circle(graph_of(tmp_path), set())
