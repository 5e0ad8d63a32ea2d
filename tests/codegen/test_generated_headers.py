"""The code generated from PyTorch's complete operator file compiles with our headers.

Operators are left out only if our runtime lacks one of their types; they are listed here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from collected import Collected, files_of
from operator_files import ROOT

from tools.codegen.emit.common import ATEN, AUTOGRAD
from tools.drivers.inputs import InputFiles

COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
HEADERS = [
    "Operators.h",
    "NativeFunctions.h",
    "NativeMetaFunctions.h",
    "Functions.h",
    "RedispatchFunctions.h",
    "MethodOperators.h",
    "CPUFunctions.h",
    "CUDAFunctions.h",
    "MetaFunctions.h",
    "CompositeExplicitAutogradFunctions.h",
    "CompositeExplicitAutogradNonFunctionalFunctions.h",
    "CompositeImplicitAutogradFunctions.h",
    "core/aten_interned_strings.h",
]
KEYS = ["CPU", "Meta", "CompositeExplicitAutograd", "CompositeImplicitAutograd"]
KEYS += ["CompositeExplicitAutogradNonFunctional"]
NOT_BOXED = {"record_stream"}
"""Not boxed, because our boxed values cannot hold a Stream. Otherwise these operators compile."""

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler"),
]


@pytest.fixture(scope="module")
def files(peer_packaged: Path) -> Collected:
    derivatives = peer_packaged.parents[1] / "autograd/derivatives.yaml"
    inputs = InputFiles.read(
        peer_packaged / "native_functions.yaml", peer_packaged / "tags.yaml", derivatives
    ).build()
    return files_of(inputs.operators, derivatives=inputs.derivatives)


@pytest.fixture(scope="module")
def folder(files: Collected, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def errors(folder: Path, source: Path, *flags: str) -> list[str]:
    """Return the compiler's errors in our headers and in the generated ones."""
    assert COMPILER is not None
    includes = [folder / "aten/src", folder, ROOT / "aten/src", ROOT]
    command = [COMPILER, "-std=c++20", "-fsyntax-only", *flags]
    command += [f"-I{path}" for path in includes]
    run = subprocess.run([*command, source], capture_output=True, text=True)
    return re.findall(r"^.*\berror: .*$", run.stderr, re.MULTILINE)


def test_headers(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "headers.cpp"
    lines = ["#include <ATen/core/Tensor.h>", *(f"#include <ATen/{name}>" for name in HEADERS)]
    source.write_text("\n".join(lines) + "\n")
    assert errors(folder, source) == []


@pytest.mark.parametrize("key", KEYS)
def test_kernels_of_a_key(folder: Path, key: str) -> None:
    shards = sorted((folder / ATEN).glob(f"Register{key}_*.cpp"))
    assert shards
    assert errors(folder, shards[0]) == []


@pytest.mark.parametrize("family", ["Operators", "core/TensorMethods", "CompletedKernels"])
def test_families(folder: Path, family: str) -> None:
    shards = sorted((folder / ATEN).glob(f"{family}_*.cpp"))
    assert shards
    assert errors(folder, shards[-1]) == []


def test_rare_types_are_included_where_they_are_used(folder: Path) -> None:
    """Stream, SymBool, QScheme, DeviceIndex and lists of floats each occur in few files."""
    names = ["record_stream", "sym_is_contiguous", "qscheme"]
    for name in names:
        found = [
            path
            for path in (folder / ATEN).glob("Operators_*.cpp")
            if f"{name}::call" in path.read_text()
        ]
        assert len(found) == 1 and errors(folder, found[0]) == [], name


@pytest.mark.slow
def test_every_boxed_signature(folder: Path) -> None:
    for shard in sorted((folder / ATEN).glob("RegisterSchema_*.cpp")):
        left_out = [name for name in NOT_BOXED if f"// {name}\n" in shard.read_text()]
        assert left_out or errors(folder, shard) == [], shard.name


def test_loops_generated_from_a_formula(folder: Path) -> None:
    """PyTorch's rows name the same formula as ours."""
    assert errors(folder, folder / ATEN / "UfuncCPU_add.cpp") == []
    capability = ["-DCPU_CAPABILITY=DEFAULT", "-DCPU_CAPABILITY_DEFAULT"]
    assert errors(folder, folder / ATEN / "UfuncCPUKernel_add.cpp", *capability) == []


@pytest.mark.parametrize(
    "name", ["python_torch_functions_0", "python_variable_methods_0", "python_nn_functions"]
)
def test_python_bindings(folder: Path, name: str) -> None:
    python = f"-I{sysconfig.get_paths()['include']}"
    if not Path(python[2:], "Python.h").exists():
        pytest.skip("needs Python's headers")
    assert errors(folder, folder / AUTOGRAD / f"{name}.cpp", python, f"-I{folder / AUTOGRAD}") == []
