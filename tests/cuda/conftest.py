"""Builds the emulated CUDA device, libc10_cuda and their test programs, once per run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
C10 = ROOT / "torch" / "lib" / "libc10.so"


Build = Callable[..., None]


@pytest.fixture(scope="session")
def programs(once: Callable[[str, Callable[[Path], object]], Path], build_programs: Build) -> Path:
    """Return the folder of the built programs; pytest's workers share one build."""
    return once("cuda_programs", build_programs)


@pytest.fixture(scope="session")
def build_programs() -> Build:
    """Return a function that builds CMakeLists.txt, or one target of it, in an empty folder."""

    def build(folder: Path, *settings: str, target: str = "all") -> None:
        assert C10.exists(), "libc10.so is missing: run `python setup.py develop` first"
        configure = ["cmake", "-G", "Ninja", "-S", ROOT / "tests" / "cuda", "-B", folder]
        for command in (
            [*configure, f"-DC10_LIBRARY={C10}", *settings],
            ["cmake", "--build", folder, "--target", target, "-j", "2"],
        ):
            answer = subprocess.run(command, capture_output=True, text=True, check=False)
            assert answer.returncode == 0, answer.stdout + answer.stderr

    return build
