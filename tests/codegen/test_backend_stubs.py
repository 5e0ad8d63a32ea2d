"""gen_backend_stubs: a back end's YAML file, its mistakes, and what PyTorch generates from it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tools.codegen.backends import read_backend
from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.drivers.backend_stubs import main

DEVICE = """\
backend: XLA
cpp_namespace: torch_xla
supported:
- abs
- add.Tensor
- add_.Tensor
- empty.memory_format
- fill_.Scalar
- sum.dim_IntList
- cat
- topk
- _local_scalar_dense
- set_.source_Storage
autograd:
- max_pool2d
"""


def run(folder: Path, text: str, *more: str) -> int:
    file = folder / "device.yaml"
    file.write_text(text)
    return main(["-s", str(file), "-o", str(folder / "out"), *more])


def written(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (folder / "out").iterdir()}


def test_declares_and_registers_every_kernel(tmp_path: Path) -> None:
    assert run(tmp_path, DEVICE) == 0
    files = written(tmp_path)
    assert set(files) == {"XLANativeFunctions.h", "RegisterXLA.cpp", "RegisterAutogradXLA.cpp"}
    header = files["XLANativeFunctions.h"]
    assert "namespace torch_xla {" in header and "struct XLANativeFunctions {" in header
    assert "static at::Tensor abs(const at::Tensor & self);" in header
    registered = re.findall(r"_ops::(\w+)::entry", files["RegisterXLA.cpp"])
    assert registered[:3] == ["abs", "add_Tensor", "add__Tensor"]
    assert {"abs_", "abs_out", "add_out", "topk_values", "sum_IntList_out"} < {*registered}
    assert "guard" not in files["RegisterXLA.cpp"] and "m.fallback" not in files["RegisterXLA.cpp"]
    assert re.findall(r"_ops::(\w+)::entry, c10::DispatchKey::(\w+)",
                      files["RegisterAutogradXLA.cpp"]) == [("max_pool2d", "AutogradXLA")]  # fmt: skip


def test_settings(tmp_path: Path) -> None:
    text = "class_name: Kernels\nuse_out_as_primary: True\ndevice_guard: True\ncpu_fallback: True\n"
    assert run(tmp_path, text + DEVICE) == 0
    files = written(tmp_path)
    assert "struct Kernels {" in files["XLANativeFunctions.h"]
    registrations = files["RegisterXLA.cpp"]
    assert "const c10::OptionalDeviceGuard guard(at::device_of(self));" in registrations
    assert "TORCH_LIBRARY_IMPL(_, XLA, m) {" in registrations
    assert "_ops::abs_out::entry" not in registrations
    assert "m.fallback" not in files["RegisterAutogradXLA.cpp"]


MISTAKES = {
    "backend: PrivatUse1\ncpp_namespace: a\n": (
        '1:10: unknown dispatch key "PrivatUse1" (did you mean "PrivateUse1"?)'
    ),
    "supported: [abs]\n": '1:1: "backend" is missing: a dispatch key such as PrivateUse1',
    "backend: XLA\n": '1:1: "cpp_namespace" is missing: the namespace of the class of kernels',
    "backend: XLA\ncpp_namespace: a-b\n": '2:16: "cpp_namespace" must be a name in C++, not "a-b"',
    DEVICE.replace("- abs", "- abss"): '4:3: no operator is called "abss" (did you mean "abs"?)',
    DEVICE.replace("- abs", "- add"): (
        '4:3: no operator is called "add"; its overloads are add.Tensor, add.out, add.Scalar'
    ),
    DEVICE.replace("- cat", "- abs"): '10:3: "abs" is listed twice',
    DEVICE.replace("- max_pool2d", "- add.out"): (
        '15:3: "add.out" belongs to "add_.Tensor", which is listed under "supported"'
    ),
    DEVICE + "symint: [empty]\n": '16:1: "symint" is not supported: kernels take sizes as int64_t',
    DEVICE + "support: [mul]\n": '16:1: unknown field "support" (did you mean "supported"?)',
    DEVICE + "device_guard: maybe\n": '16:15: "device_guard" must be True or False, not "maybe"',
    "backend: FPGA\ncpp_namespace: a\nautograd: [abs]\n": "3:1: FPGA has no autograd key of its own",
    "- abs\n": "1:1: this file must be a mapping",
    "backend: [XLA\n": "2:1: invalid YAML",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_reported_at_their_place(text: str, tmp_path: Path, model: Operators) -> None:
    file = tmp_path / "device.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        read_backend(file, model)
    assert f"{file}:{MISTAKES[text]}" in str(error.value)


def test_nothing_is_written_if_there_are_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "backend: XLA\n") == 2
    assert 'device.yaml:1:1: "cpp_namespace" is missing' in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_missing_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-s", str(tmp_path / "none.yaml"), "-o", str(tmp_path)]) == 2
    assert "none.yaml:1:1: cannot read the file" in capsys.readouterr().err


def test_undefined_kernels_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "kernels.cpp"
    text = "backend: XLA\ncpp_namespace: a\nsupported:\n- abs\n- set_\n- set_.source_Storage\n"
    source.write_text("Tensor XLANativeFunctions::abs(\nTensor& XLANativeFunctions::set_(\n")
    assert run(tmp_path, text, "--impl-path", str(source)) == 2
    error = capsys.readouterr().err
    assert "device.yaml:5:3: " in error and "device.yaml:6:3: " in error
    assert "kernels.cpp defines XLANativeFunctions::set_ 1 times, not 2" in error
    assert "::abs" not in error
    source.write_text(source.read_text() + "Tensor& XLANativeFunctions::set_ (Tensor& self)")
    assert run(tmp_path, text, "--impl-path", str(source)) == 0


def test_a_dry_run_writes_nothing_and_a_second_run_nothing_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, DEVICE, "--dry-run") == 0
    assert capsys.readouterr().out.split()[0] == "RegisterAutogradXLA.cpp"
    assert not (tmp_path / "out").exists()
    assert run(tmp_path, DEVICE) == run(tmp_path, DEVICE) == 0
    assert capsys.readouterr().out.split("\n")[1] == "device.yaml: 3 files, 0 written"


_PEER = """
import sys
from torchgen.gen_backend_stubs import run
run(sys.argv[1], sys.argv[2], False)
"""


@pytest.mark.peer
def test_pytorchs_generator_declares_and_registers_the_same(
    peer_packaged: Path, tmp_path: Path
) -> None:
    native = ["--native-functions", str(peer_packaged / "native_functions.yaml")]
    assert run(tmp_path, DEVICE, *native, "--tags", str(peer_packaged / "tags.yaml")) == 0
    own = written(tmp_path)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    command = [
        os.environ["TORCH_PEER"],
        "-I",
        "-c",
        _PEER,
        str(tmp_path / "device.yaml"),
        str(theirs),
    ]
    subprocess.run(command, check=True, capture_output=True)
    header = (theirs / "XLANativeFunctions.h").read_text()
    assert _declared(own["XLANativeFunctions.h"]) == _declared(header)
    for key in ("XLA", "AutogradXLA"):
        rows = re.findall(r"_ops::(\w+)::entry", own[f"Register{key}.cpp"])
        text = (theirs / f"Register{key}.cpp").read_text()
        names = re.findall(r'm\.impl\("([^"]+)"', text)
        assert sorted(rows) == sorted(name.replace(".", "_") for name in names)


def _declared(header: str) -> list[str]:
    lines = (line.strip() for line in header.split("\n"))
    return sorted(line for line in lines if line.startswith("static "))
