"""Other Pythons of the machine, to test a checkout with each of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest


@cache
def find_python(version: str) -> Path:
    """Return the interpreter of a version such as "3.9" from PATH or pyenv, or skip the test."""
    for candidate in _candidates(version):
        command = [str(candidate), "-c", "import ensurepip, sys; print(sys.version)"]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        if found.returncode == 0 and found.stdout.startswith(f"{version}."):
            return candidate
    pytest.skip(f"install Python {version} (python{version} on PATH, or with pyenv)")


def _candidates(version: str) -> Iterator[Path]:
    name = f"python{version}"
    if found := shutil.which(name):  # a shim of pyenv, which runs only the selected version
        yield Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(pyenv.glob(f"versions/{version}.*/bin/{name}"))
