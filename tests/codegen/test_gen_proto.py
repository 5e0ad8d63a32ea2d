"""gen_proto: ONNX's messages in a namespace, and their agreement with the package onnx."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tools.onnx.gen_proto import SOURCES, main, proto_files

ROOT = Path(__file__).resolve().parents[2]
MODELS = (ROOT / SOURCES / "onnx.in.proto").read_text()
OPERATORS = (ROOT / SOURCES / "onnx-operators.in.proto").read_text()


def test_files_are_named_for_the_namespace(tmp_path: Path) -> None:
    assert main(["-p", "onnx_torch", "-o", str(tmp_path), "onnx", "onnx-operators"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "onnx_onnx_torch.proto", "onnx_onnx_torch.proto3", "onnx.pb.h", "onnx_pb.py",
        "onnx-operators_onnx_torch.proto", "onnx-operators_onnx_torch.proto3",
        "onnx-operators.pb.h", "onnx_operators_pb.py",
    }  # fmt: skip
    proto = (tmp_path / "onnx_onnx_torch.proto").read_text()
    assert "package onnx_torch;" in proto and "option optimize_for = LITE_RUNTIME;" in proto
    operators = (tmp_path / "onnx-operators_onnx_torch.proto").read_text()
    assert operators.count("import ") == 1 and 'import "onnx/onnx_onnx_torch.proto";' in operators
    third = (tmp_path / "onnx-operators_onnx_torch.proto3").read_text()
    assert 'syntax = "proto3";' in third and "optional" not in third
    assert "#include <onnx/onnx_onnx_torch.pb.h>" in (tmp_path / "onnx.pb.h").read_text()
    assert "from .onnx_onnx_torch_pb2 import *" in (tmp_path / "onnx_pb.py").read_text()


def test_the_default_namespace_and_ml() -> None:
    files = proto_files("onnx-operators", OPERATORS, "onnx", ml=True)
    assert set(files) == {
        "onnx-operators-ml.proto", "onnx-operators-ml.proto3", "onnx-operators.pb.h",
        "onnx_operators_pb.py",
    }  # fmt: skip
    assert 'import "onnx/onnx-ml.proto";' in files["onnx-operators-ml.proto"]


@pytest.mark.parametrize("text", ["// #else", "// #if ONNX-ML", "// #endif"])
def test_misplaced_conditions_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "onnx.in.proto").write_text(f"package {{PACKAGE_NAME}};\n{text}\n")
    assert main(["--source", str(tmp_path), "-o", str(tmp_path), "onnx"]) == 2


def test_a_namespace_is_a_name(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["-p", "not-a-name", "-o", str(tmp_path)])


@pytest.mark.skipif(not shutil.which("protoc"), reason="apt-get install protobuf-compiler")
def test_protoc_accepts_the_files(tmp_path: Path) -> None:
    assert main(["-p", "mine", "-o", str(tmp_path / "onnx")]) == 0
    for stem in ("onnx", "onnx-operators"):
        command = ["protoc", f"--cpp_out={tmp_path}", "-I", str(tmp_path)]
        subprocess.run([*command, str(tmp_path / f"onnx/{stem}_mine.proto")], check=True)
    assert "namespace mine {" in (tmp_path / "onnx/onnx_mine.pb.h").read_text()


@pytest.mark.skipif(find_spec("onnx") is None, reason="python -m pip install --group onnx")
@pytest.mark.parametrize("stem", ["onnx", "onnx-operators"])
def test_messages_are_those_of_the_package(stem: str) -> None:
    spec = find_spec("onnx")
    assert spec is not None and spec.origin is not None
    theirs = (Path(spec.origin).parent / f"{stem}.in.proto").read_text()
    assert _words(theirs) == _words((ROOT / SOURCES / f"{stem}.in.proto").read_text())


def _words(text: str) -> list[str]:
    """Return the words of a .proto file without comments and optional semicolons."""
    return re.findall(r"\w+|[^\w\s]", re.sub(r"//.*", "", text).replace("};", "}"))
