"""The type stubs are valid Python and agree with the bindings."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from collected import files_of
from operator_files import DOCS, ROOT

from tools.codegen.docs import build_docs
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile


@pytest.fixture(scope="module")
def stubs(model: Operators) -> dict[str, str]:
    return files_of(model, "pyi")


def test_every_stub_is_python(stubs: dict[str, str]) -> None:
    for path, text in stubs.items():
        ast.parse(text, path)


def test_the_command_writes_the_stubs(model: Operators, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tools.pyi.gen_pyi", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    written = {
        str(path.relative_to(tmp_path)): path.read_text()
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    assert written == files_of(model, "pyi", docs=build_docs(OperatorFile.read(DOCS), model))


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
