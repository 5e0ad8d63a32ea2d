"""The type stubs are valid Python and agree with the bindings."""

from __future__ import annotations

import ast

import pytest
from collected import files_of

from tools.codegen.model import Operators


@pytest.fixture(scope="module")
def stubs(model: Operators) -> dict[str, str]:
    return files_of(model, "pyi")


def test_every_stub_is_python(stubs: dict[str, str]) -> None:
    for path, text in stubs.items():
        ast.parse(text, path)


def test_several_signatures_are_overloads(stubs: dict[str, str]) -> None:
    tree = ast.parse(stubs["torch/_C/_VariableFunctions.pyi"])
    by_name: dict[str, list[ast.FunctionDef]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            by_name.setdefault(node.name, []).append(node)
    for name, definitions in by_name.items():
        marked = [bool(definition.decorator_list) for definition in definitions]
        assert all(marked) == any(marked) == (len(definitions) > 1), name


def test_known_signatures(stubs: dict[str, str]) -> None:
    functions = stubs["torch/_C/_VariableFunctions.pyi"]
    assert (
        "def add(input: Tensor, other: Tensor, *, alpha: Number = 1, out: Tensor | None = None)"
        " -> Tensor: ..." in functions
    )
    assert "def zeros(*size: _int, out: Tensor | None = None," in functions
    assert "keepdim: _bool = False) -> _return_types.max: ..." in stubs["torch/_C/__init__.pyi"]
    assert "class max(NamedTuple):" in stubs["torch/_C/_return_types.pyi"]
