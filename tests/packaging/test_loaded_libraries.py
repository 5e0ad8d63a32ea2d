"""`import torch` loads libtorch and what hangs on it, although no function of theirs is called."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.setup_helpers.package.elf import read_elf

SCRIPT = "import torch; print(open('/proc/self/maps').read())"


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """The names of the libraries that a process has loaded after `import torch`."""
    command = [sys.executable, "-c", SCRIPT]
    maps = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"/([^/\n]+\.so[\d.]*)$", maps, re.MULTILINE))


@pytest.mark.parametrize("name", ["libtorch.so", "libtorch_cpu.so", "libtorch_global_deps.so"])
def test_a_library_that_backends_hang_on_is_loaded(loaded: set[str], name: str) -> None:
    assert name in loaded


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
