"""Builds the emulated CUDA device, libc10_cuda and their test programs, once per run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
C10 = ROOT / "torch" / "lib" / "libc10.so"


@pytest.fixture(scope="session")
def programs(once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """Return the folder of the built programs; pytest's workers share one build."""
    return once("cuda_programs", build)


def build(folder: Path) -> None:
    """Build all targets of CMakeLists.txt in an empty folder."""
    assert C10.exists(), "libc10.so is missing: run `python setup.py develop` first"
    for command in (
        [
            "cmake",
            "-G",
            "Ninja",
            "-S",
            ROOT / "tests" / "cuda",
            "-B",
            folder,
            f"-DC10_LIBRARY={C10}",
        ],
        ["cmake", "--build", folder, "-j", "2"],
    ):
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stdout + answer.stderr
