"""Builds the emulated CUDA device, libc10_cuda and their test programs, once per run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "cuda"), str(ROOT / "tests" / "runtime")]

from linked_package import link_package  # noqa: E402

import torch  # noqa: E402

C10 = ROOT / "torch" / "lib" / "libc10.so"

# What the programs need besides a compiler, as CMake's complaint names it.
_PACKAGES = {
    "Could NOT find GTest": "libgtest-dev",
    "Boost.Context was not found": "libboost-context-dev",
}

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
            for complaint, package in _PACKAGES.items():
                if complaint in answer.stderr:
                    pytest.skip(f"the programs need a package: apt-get install {package}")
            assert answer.returncode == 0, answer.stdout + answer.stderr

    return build


@pytest.fixture(scope="session")
def cuda_environment() -> dict[str, str]:
    """Return the variables with which a new interpreter imports a torch that has CUDA."""
    build = ROOT / "build-emulated"
    if torch._C.has_cuda:
        package = ROOT
    elif (build / "package_plan.json").exists():
        package = link_package(build, build / "import")
    else:
        pytest.skip(
            "needs a build with CUDA: "
            "CUDA_EMULATION=ON BUILD_DIR=build-emulated python setup.py build"
        )
    kept = {name: x for name, x in os.environ.items() if not name.startswith("CUDA_")}
    return {**kept, "PYTHONPATH": str(package)}
