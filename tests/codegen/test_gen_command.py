"""The command gen.py, which writes the operators' families, the Type families and at::legacy::th."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from collected import files_of
from operator_files import NATIVE, ROOT

from tools.codegen.model import Operators
from tools.drivers import gen

_DIRECTORY = "aten/src/ATen/"
_LEGACY = ("Declarations.cwrap", "nn.yaml", "../THNN/generic/THNN.h", "../THCUNN/generic/THCUNN.h")


def _gen(*arguments: object) -> int:
    return gen.main([*map(str, arguments)])


def test_gen_writes_the_files_of_the_stages_and_the_legacy_inputs(
    model: Operators, tmp_path: Path
) -> None:
    source = ROOT / "aten/src/ATen"
    command = [sys.executable, source / "gen.py", "--source-path", source]
    command += ["--install_dir", tmp_path / "out", *(source / name for name in _LEGACY), NATIVE]
    subprocess.run([*map(str, command)], check=True, cwd=tmp_path, capture_output=True)
    made = {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*")}
    assert {"Declarations.yaml", "Functions.h", "core/TensorMethods.inc", "RegisterCPU.cpp",
            "CPUFloatType.h", "SparseCUDALongType.h", "MSNPUBoolType.h", "TypeDefault.h",
            "LegacyTHFunctions.h", "LegacyTHCPUFloatDispatcher.cpp",
            "LegacyTHCUDAFloatDispatcher.cpp"} <= made  # fmt: skip
    expected = files_of(model, "legacy_types")
    for path, text in expected.items():
        assert (tmp_path / "out" / path.removeprefix(_DIRECTORY)).read_text() == text, path


def test_gen_without_legacy_inputs_writes_the_operators_only(tmp_path: Path) -> None:
    source = ROOT / "aten/src/ATen"
    assert _gen("-s", source, "-d", tmp_path, "--rocm", "--per-operator-headers") == 0
    made = {path.name for path in tmp_path.iterdir()}
    assert "Declarations.yaml" in made and "Functions.h" in made
    assert not [name for name in made if "Type" in name or "Legacy" in name]
    assert "dispatch_type" not in (tmp_path / "core/TensorMethods.inc").read_text()


def test_gen_lists_the_files_that_it_writes(tmp_path: Path) -> None:
    source, names = ROOT / "aten/src/ATen", tmp_path / "names.txt"
    assert _gen("-s", source, "-d", tmp_path / "out", "-o", names) == 0
    assert not (tmp_path / "out").exists()
    core = (tmp_path / "names.txt-core").read_text()
    listed = [Path(name) for name in (names.read_text() + core).split(";")[:-1]]
    assert _gen("-s", source, "-d", tmp_path / "out") == 0
    assert sorted(listed) == sorted(p for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert _gen("-s", source, "-d", tmp_path / "none", "--dry-run") == 0
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["Declarations.cwrp"], "unknown input"),
        (["nn.yaml"], "nn.yaml needs THNN.h"),
        (["THCUNN.h"], "THCUNN.h needs nn.yaml"),
        (["missing/nn.yaml"], "there is no file"),
        (["THNN.h", "a/THNN.h"], "two inputs are named THNN.h"),
    ],
)
def test_gen_refuses_other_inputs(
    names: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in names:
        if not name.startswith("missing"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("")
    out = tmp_path / "out"
    source = ROOT / "aten/src/ATen"
    assert _gen("-s", source, "-d", out, *(tmp_path / name for name in names)) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_gen_locates_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "native_functions.yaml"
    broken.write_text("- func: add(Tensr self) -> Tensor\n")
    assert _gen("-s", ROOT / "aten/src/ATen", "-d", tmp_path / "out", broken) == 2
    assert "native_functions.yaml:1" in capsys.readouterr().err
