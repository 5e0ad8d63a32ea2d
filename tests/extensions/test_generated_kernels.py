"""Registrations that are generated for a back end out of the tree: memory, guard, dispatch keys."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from extension_programs import run_program

from tools.codegen.read import read_operators
from tools.drivers import aten, jit

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "generated_kernels"
FAMILIES = (
    "operator_headers",
    "native",
    "meta",
    "operators",
    "register_schema",
    "key_headers",
    "register",
)
BEHAVIOURS = [
    node.name
    for node in ast.parse((HERE / "behaviour.py").read_text()).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]


class Folder:
    """An output that writes every file."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, path: str, ingredients: str, text: Callable[[], str]) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text(), encoding="utf-8")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the generated files."""
    folder = tmp_path_factory.mktemp("generated")
    model = read_operators((HERE / "native_functions.yaml").read_text(), "")
    for family in FAMILIES:
        aten.generate(model, Folder(folder), family)
    jit.generate(model, Folder(folder))
    return folder


def test_each_back_end_has_its_registrations(generated: Path) -> None:
    cuda, private = (
        (generated / f"aten/src/ATen/Register{key}_0.cpp").read_text()
        for key in ("CUDA", "PrivateUse1")
    )
    operation = "at::native::structured_granite_scale_out"
    guarded = "at::structured::OnCurrentDevice"
    assert f"Functional<{operation}, 1, {guarded}> op;" in private
    assert f"Inplace<{operation}_cuda, 1, {guarded}> op(self);" in cuda
    assert f"Out<{operation}_cuda, 1, {guarded}> op(out);" in cuda
    assert "granite_unguarded_scale_out, 1, at::structured::OnDevice> op;" in cuda
    guards = [cuda.count(f"guard(at::device_of({name}));") for name in ("self", "tensors")]
    assert guards == [1, 2], "granite_current, and its overloads for lists"
    assert "namespace cuda {" in cuda and "namespace privateuse1" not in private


def test_each_layout_has_its_registrations(generated: Path) -> None:
    folder = generated / "aten/src/ATen"
    declared = (folder / "ops/granite_layout_native.h").read_text()
    for key, kernel in {
        "SparseCPU": "sparse",
        "SparseCUDA": "sparse",
        "SparseCsrCUDA": "sparse_compressed",
        "QuantizedCPU": "quantized",
        "MkldnnCPU": "mkldnn",
        "NestedTensorCPU": "nested",
    }.items():
        text = (folder / f"Register{key}_0.cpp").read_text()
        assert f"return at::native::granite_layout_{kernel}(self);" in text
        assert f"c10::DispatchKey::{key}, " in text
        assert f"int64_t granite_layout_{kernel}(const at::Tensor & self);" in declared
        assert ("guard(at::device_of(self));" in text) == key.endswith("CUDA")


@pytest.mark.slow
def test_a_kernel_that_is_missing_is_named(
    generated: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    build = tmp_path_factory.mktemp("missing")
    kernels = (HERE / "kernels.cpp").read_text().replace("granite_layout_mkldnn(", "left_out(")
    (build / "kernels.cpp").write_text(kernels)
    result = run_program(
        HERE / "behaviour.py",
        *(build, generated, "test_shapes_come_from_meta", build / "kernels.cpp"),
    )
    assert result.returncode != 0 and "granite_layout_mkldnn" in result.stderr


@pytest.fixture(scope="module")
def run(
    generated: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Return what runs one of the assertions in a process of its own."""
    build = tmp_path_factory.mktemp("build")

    def run(name: str) -> subprocess.CompletedProcess[str]:
        return run_program(HERE / "behaviour.py", build, generated, name)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_behaviour(run: Callable[[str], subprocess.CompletedProcess[str]], name: str) -> None:
    result = run(name)
    assert result.returncode == 0, result.stderr
