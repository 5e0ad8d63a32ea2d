"""`import torch` loads libtorch and what hangs on it, although no function of theirs is called."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

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
