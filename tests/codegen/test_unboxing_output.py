"""The generated functions of at::unboxing and their table."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from collected import Collected, files_of
from operator_files import NATIVE, ROOT, TAGS

from tools.codegen.model import Operators
from tools.drivers.cli import main
from tools.drivers.explain import operator
from tools.jit import gen_unboxing

_DIRECTORY = "aten/src/ATen/"


def _joined(files: Collected, family: str) -> str:
    return "".join(text for path, text in files.items() if path.startswith(_DIRECTORY + family))


def test_every_operator_is_declared_defined_and_registered(model: Operators) -> None:
    files = files_of(model, "unboxing")
    names = sorted(function.unambiguous for function in model.functions)
    header = files[f"{_DIRECTORY}UnboxingFunctions.h"]
    assert sorted(re.findall(r"^TORCH_API void (\w+)\(Stack& stack\);$", header, re.M)) == names
    functions = _joined(files, "UnboxingFunctions_")
    assert sorted(re.findall(r"^void (\w+)\(Stack& stack\) \{$", functions, re.M)) == names
    table = _joined(files, "RegisterCodegenUnboxedKernels_")
    assert sorted(re.findall(r"&at::unboxing::(\w+)\},$", table, re.M)) == names


def test_arguments_are_taken_in_the_schemas_order(model: Operators) -> None:
    functions = _joined(files_of(model, "unboxing"), "UnboxingFunctions_")
    body = functions[functions.index("void add_Tensor(") :].partition("\n}\n")[0]
    taken = re.findall(r"unboxed_argument<([^>]+)>\(arguments\[(\d)\]\)", body)
    assert taken == [("const at::Tensor &", "0"), ("const at::Tensor &", "1"),
                     ("const at::Scalar &", "2")]  # fmt: skip
    assert "call_with_values<3>(" in body and "return at::_ops::add_Tensor::call(" in body


def test_the_family_is_written_only_by_name(model: Operators) -> None:
    assert not [path for path in files_of(model) if "nbox" in path]


def test_the_command_writes_selected_operators(tmp_path: Path) -> None:
    selected = tmp_path / "operators.yaml"
    selected.write_text("- operator: aten::add.Tensor\n- operator: aten::zeros\n")
    command = [sys.executable, "-m", "tools.jit.gen_unboxing", "-d", str(tmp_path / "out")]
    command += ["--op-selection-yaml-path", str(selected)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "UnboxingFunctions.h",
        "UnboxingFunctions_0.cpp",
        "RegisterCodegenUnboxedKernels_0.cpp",
    }
    header = (tmp_path / "out/UnboxingFunctions.h").read_text()
    assert sorted(re.findall(r"void (\w+)\(", header)) == ["add_Tensor", "zeros"]


def test_unknown_selected_operators_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    selected = tmp_path / "operators.yaml"
    selected.write_text("- operator: aten::ad.Tensor\n")
    arguments = ["-d", str(tmp_path / "out"), "--op-selection-yaml-path", str(selected)]
    assert gen_unboxing.main(arguments) == 2
    assert "operators.yaml:1:13: no operator is called" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_explain_shows_the_function(tmp_path: Path) -> None:
    inputs = ["--native-functions", str(NATIVE), "--tags", str(TAGS)]
    command = ["generate", "--only", "unboxing", *inputs, "--out", str(tmp_path)]
    assert main(command) == 0
    text = operator(ROOT, tmp_path, ["add.Tensor"])
    assert "at::unboxing, with arguments on a stack" in text
    assert re.search(r"UnboxingFunctions_\d+\.cpp:\d+ +add_Tensor", text)
