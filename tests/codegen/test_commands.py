"""The generators' commands: they run from any directory, and mistakes end in a message that says where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from operator_files import ROOT

_SCRIPTS = (
    "aten/src/ATen/gen.py",
    "caffe2/contrib/aten/gen_op.py",
    "tools/autograd/gen_annotated_fn_args.py",
    "tools/code_analyzer/gen_operators_yaml.py",
    "tools/code_analyzer/gen_oplist.py",
    "tools/code_analyzer/gen_selected_dtypes_header.py",
    "tools/codegen/gen_backend_stubs.py",
    "tools/codegen/gen_lazy_tensor.py",
    "tools/jit/gen_external_functions.py",
    "tools/jit/gen_jit_decompositions.py",
    "tools/jit/gen_jit_shape_functions.py",
    "tools/jit/gen_static_runtime_ops.py",
    "tools/jit/gen_unboxing.py",
    "tools/onnx/gen_proto.py",
    "tools/pyi/gen_pyi.py",
    "tools/setup_helpers/gen.py",
    "tools/setup_helpers/gen_version_header.py",
    "tools/setup_helpers/generate_code.py",
)
_NATIVE = ROOT / "aten/src/ATen/native"


def _run(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder, with a Python that does not know the checkout."""
    packages = str(Path(yaml.__file__).parents[1])  # without site, which finds editable installs
    return subprocess.run(
        [sys.executable, "-S", *map(str, arguments)], cwd=folder, text=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": packages},
    )  # fmt: skip


@pytest.mark.parametrize("script", _SCRIPTS)
def test_scripts_run_from_any_directory(script: str, tmp_path: Path) -> None:
    done = _run(tmp_path, ROOT / script, "--help")
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("aten/src/ATen/gen.py", "-s", ROOT / "aten/src/ATen", "-d"),
        ("caffe2/contrib/aten/gen_op.py", "--install_dir"),
        ("tools/codegen/gen_lazy_tensor.py", "-o"),
        ("tools/jit/gen_external_functions.py", "-d"),
        ("tools/jit/gen_jit_decompositions.py", "-d"),
        ("tools/jit/gen_jit_shape_functions.py", "-d"),
        ("tools/jit/gen_static_runtime_ops.py", "-d"),
        ("tools/jit/gen_unboxing.py", "-d"),
        ("tools/onnx/gen_proto.py", "-o"),
        ("tools/pyi/gen_pyi.py", "--out"),
    ],
)
def test_an_output_directory_that_cannot_be_made_is_named(
    command: tuple[object, ...], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    script, *arguments = command
    done = _run(tmp_path, ROOT / str(script), *arguments, tmp_path / "file/out")
    assert done.returncode == 2
    assert str(tmp_path / "file") in done.stderr and "Traceback" not in done.stderr


def test_gen_pyi_takes_the_names_of_pytorch(tmp_path: Path) -> None:
    native = ROOT / "aten/src/ATen/native"
    command = [ROOT / "tools/pyi/gen_pyi.py", "--out", tmp_path]
    command += ["--native-functions-path", native / "native_functions.yaml"]
    command += ["--tags-path", native / "tags.yaml"]
    command += ["--deprecated-functions-path", ROOT / "tools/autograd/deprecated.yaml"]
    done = _run(tmp_path, *command)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "torch/_C/_VariableFunctions.pyi").is_file()


def test_old_arguments_of_gen_pyi_are_accepted(tmp_path: Path) -> None:
    declarations = tmp_path / "Declarations.yaml"
    declarations.write_text("")
    script = ROOT / "tools/pyi/gen_pyi.py"
    done = _run(tmp_path, script, "--declarations-path", declarations)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "torch/_C/__init__.pyi").is_file()
    done = _run(tmp_path, script, "--declarations-path", tmp_path / "none.yaml")
    assert done.returncode == 2 and "none.yaml does not exist" in done.stderr


def test_old_arguments_of_generate_code_are_accepted(tmp_path: Path) -> None:
    command = [ROOT / "tools/setup_helpers/generate_code.py", "--source", ROOT]
    command += ["--build", tmp_path / "build", "--subset", "annotated", "--nn-path", "aten/src/"]
    done = _run(ROOT, *command, "--declarations-path", _NATIVE / "native_functions.yaml")
    assert done.returncode == 0, done.stderr
    assert "-- generated annotated" in done.stdout
    done = _run(ROOT, *command, "--declarations-path", tmp_path / "none.yaml")
    assert done.returncode == 2 and "none.yaml does not exist" in done.stderr


@pytest.mark.parametrize(
    ("name", "right", "wrong", "message"),
    [
        ("nn.yaml", "cname:", "cnam:", "unknown field 'cnam' (did you mean \"cname\"?)"),
        ("Declarations.cwrap", "THTensor*", "THTensr*", "unknown type 'THTensr*' (did you mean"),
        ("THNN.h", "void THNN_(Abs_updateOutput)(", "int Abs(", "a kernel is declared as"),
    ],
)
def test_gen_locates_mistakes_in_legacy_inputs(
    name: str, right: str, wrong: str, message: str, tmp_path: Path
) -> None:
    folder = ROOT / "aten/src/ATen"
    files = {
        "nn.yaml": folder / "nn.yaml",
        "Declarations.cwrap": folder / "Declarations.cwrap",
        "THNN.h": folder / "../THNN/generic/THNN.h",
    }
    text = files[name].read_text()
    line = text[: text.index(right)].count("\n") + 1
    broken = files[name] = tmp_path / name
    broken.write_text(text.replace(right, wrong, 1))
    command = [ROOT / "aten/src/ATen/gen.py", "-s", folder, "-d", tmp_path / "out"]
    done = _run(tmp_path, *command, *files.values())
    assert done.returncode == 2 and message in done.stderr
    place, _, _ = done.stderr.removeprefix(f"{broken}:").partition(":")
    assert 0 <= line - int(place) <= 8  # the entry that has the mistake
    assert not (tmp_path / "out").exists()


def test_gen_proto_suggests_a_name(tmp_path: Path) -> None:
    script = ROOT / "tools/onnx/gen_proto.py"
    done = _run(tmp_path, script, "-o", tmp_path, "onnx-operator")
    assert done.returncode == 2 and "did you mean 'onnx-operators'?" in done.stderr


def test_gen_version_header_writes_the_version(tmp_path: Path) -> None:
    script = ROOT / "tools/setup_helpers/gen_version_header.py"
    done = _run(ROOT, script, "--build", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "#define TORCH_VERSION_MAJOR 2" in (tmp_path / "torch/version.h").read_text()
