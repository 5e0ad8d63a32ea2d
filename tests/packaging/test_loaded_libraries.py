"""`import torch` loads libtorch and what hangs on it, although no function of theirs is called."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import torch
from tools.setup_helpers.package.elf import read_elf


def printed_by(statements: str) -> str:
    command = [sys.executable, "-c", statements]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def loaded_by(statements: str) -> set[str]:
    """Return the names of the libraries that a process has loaded after these statements."""
    maps = printed_by(f"{statements}; print(open('/proc/self/maps').read())")
    return set(re.findall(r"/([^/\n]+\.so[\d.]*)$", maps, re.MULTILINE))


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """What `import torch` loads."""
    return loaded_by("import torch")


@pytest.mark.parametrize("name", ["libtorch.so", "libtorch_cpu.so", "libtorch_global_deps.so"])
def test_a_library_that_backends_hang_on_is_loaded(loaded: set[str], name: str) -> None:
    assert name in loaded


def test_openblas_is_loaded_at_its_first_call(loaded: set[str]) -> None:
    if "OpenBLAS" not in torch.__config__.show():
        pytest.skip("BLAS is another library")
    name = "libscipy_openblas.so"
    assert name not in loaded
    assert name in loaded_by("import torch; torch.linalg.eigvals(torch.ones(2, 2))")


def test_import_starts_no_thread() -> None:
    assert printed_by("import os, torch; print(len(os.listdir('/proc/self/task')))") == "1\n"


def test_no_library_shows_the_nodes_of_formulas() -> None:
    """Of each, the dynamic linker would read three symbols, and nobody needs them by name."""
    library = Path(__file__).parents[2] / "torch/lib/libtorch_cpu.so"
    assert b"\0_ZTVN5torch8autograd9generated12MulBackward0E" not in library.read_bytes()


def test_the_bindings_do_not_load_libraries_of_the_compiler_that_they_do_not_use() -> None:
    """Otherwise the wheel of the bindings alone would have a copy of OpenMP's library of its own."""
    folder = Path(__file__).parents[2] / "torch/lib"
    (library,) = folder.glob(
        f"libtorch_python.cpython-{sys.version_info[0]}{sys.version_info[1]}-*"
    )
    needed = read_elf(library).needed
    assert "libtorch.so" in needed
    assert not any(name.startswith("libgomp") for name in needed)


def test_structured_kernels_have_no_description_of_their_type() -> None:
    """The dynamic linker would read each of these, about two thousand, at every import."""
    library = Path(__file__).parents[2] / "torch/lib/libtorch_cpu.so"
    assert re.findall(rb"\0N2at10structured\w+", library.read_bytes()) == []
    assert b"_ZN2at4meta14structured_erf4meta" in library.read_bytes()  # such classes exist
