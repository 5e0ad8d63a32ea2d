"""The generated table of operators by signature."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from collected import files_of

from tools.codegen.model import Operators


def test_every_operator_is_listed_once(model: Operators) -> None:
    files = files_of(model, "register_aten_ops")
    entries = [
        name
        for text in files.values()
        for name in re.findall(r"^  &at::_ops::(\w+)::entry,$", text, re.M)
    ]
    assert sorted(entries) == sorted(function.unambiguous for function in model.functions)


def test_overloads_are_in_the_order_of_the_operator_file(model: Operators) -> None:
    text = "".join(files_of(model, "register_aten_ops").values())
    declared = [f.unambiguous for f in model.functions if f.func.name.name.base == "sum"]
    places = [text.index(f"&at::_ops::{name}::entry") for name in declared]
    assert len(places) > 2 and places == sorted(places)


_PRINT_SCHEMAS = """
#include <cstdio>
#include <string_view>
namespace torch::jit { extern const std::string_view schema_declarations; }
int main() {
  const auto& text = torch::jit::schema_declarations;
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
"""


def test_a_program_reads_the_schemas(model: Operators, tmp_path: Path) -> None:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    assert not [path for path in files_of(model, "register_aten_ops") if "schema" in path]
    files = files_of(model, "register_aten_ops", everything=True)
    (tmp_path / "schemas.cpp").write_text(
        files["torch/csrc/jit/generated/aten_schema_declarations.cpp"]
    )
    (tmp_path / "main.cpp").write_text(_PRINT_SCHEMAS)
    sources = [str(tmp_path / name) for name in ("schemas.cpp", "main.cpp")]
    program = str(tmp_path / "program")
    subprocess.run([compiler, "-std=c++20", *sources, "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    declared = [f"{function.namespace}::{function.func}" for function in model.functions]
    assert printed.split("\n")[1:-1] == declared
