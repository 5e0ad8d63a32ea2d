"""Modules refuse to run with libraries of another version, and say what to install."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checkout import ROOT


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The built package with its own torch/lib, in a folder of its own; everything else is linked."""
    if not (ROOT / "torch/lib/VERSION").exists():
        pytest.skip("nothing is built: python setup.py develop")
    package = tmp_path / "torch"
    (package / "lib").mkdir(parents=True)
    for folder, names in ((ROOT / "torch", package), (ROOT / "torch/lib", package / "lib")):
        for path in folder.iterdir():
            if path.name not in ("lib", "__pycache__", "VERSION", "_preload.py"):
                (names / path.name).symlink_to(path)
    (package / "_preload.py").write_bytes((ROOT / "torch/_preload.py").read_bytes())
    (package / "lib/VERSION").write_bytes((ROOT / "torch/lib/VERSION").read_bytes())
    return tmp_path


def error_of(folder: Path) -> str:
    command = [sys.executable, "-c", "import torch"]
    environ = {**os.environ, "PYTHONPATH": str(folder)}
    result = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    return result.stderr.strip().rpartition("\n")[2]


def test_libraries_of_the_same_version_are_accepted(copied: Path) -> None:
    assert error_of(copied) == ""


def test_libraries_of_another_version_are_refused_before_they_are_loaded(copied: Path) -> None:
    (copied / "torch/lib/VERSION").write_text("0.0.9\n")
    (copied / "torch/lib/libtorch_cpu.so").unlink()
    own = (ROOT / "torch/lib/VERSION").read_text().strip()
    message = error_of(copied)
    assert "ImportError: torch/lib holds the libraries of version 0.0.9" in message
    assert f"these modules are of version {own}" in message


def test_missing_libraries_are_named(copied: Path) -> None:
    for path in (copied / "torch/lib").iterdir():
        if "torch_python" not in path.name:
            path.unlink()
    message = error_of(copied)
    assert "ImportError: the libraries of torch are not installed (torch/lib)" in message
