"""CMake and Ninja that are too old or missing, and a Python without any packages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..fixture_project import Project
from .conftest import Doctor


@pytest.fixture
def bare(doctor: Doctor, tmp_path: Path) -> Doctor:
    """The doctor in an environment without any package."""
    folder = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return Doctor(Project(doctor.project.root, folder / "bin/python"))


def doctor_output(bare: Doctor, path: Path) -> str:
    command = [str(bare.project.python), "setup.py", "doctor", "cmake", "ninja"]
    result = bare.project.call(command, check=False, PATH=str(path))
    assert "Traceback" not in result.stderr
    return result.stdout


def test_a_bare_python_lists_everything_that_is_missing(bare: Doctor) -> None:
    findings = bare.findings("pyyaml", "openblas", "c++20-compiler")
    assert findings["pyyaml"]["status"] == "warning"
    assert "install it with pip first" in findings["pyyaml"]["consequence"]
    assert "pyyaml is not installed for" in findings["pyyaml"]["finding"]
    assert findings["pyyaml"]["remedy"] == "python -m pip install pyyaml"
    assert findings["openblas"]["status"] == "warning"
    assert findings["c++20-compiler"]["status"] == "ok"


def test_a_cmake_and_a_ninja_too_old(
    bare: Doctor, programs: Path, wrapper: Callable[..., str]
) -> None:
    old = {"cmake": "cmake version 3.10.2", "ninja": "1.8.2"}
    for name, version in old.items():
        (programs / name).unlink(missing_ok=True)
        (programs / name).symlink_to(wrapper(name, f"echo {version}"))
    text = doctor_output(bare, programs)
    assert f"cmake >= 3.25 is needed; {programs}/cmake is 3.10.2" in text
    assert "`setup.py develop` and the other build commands install it" in text
    assert f"ninja >= 1.10 is needed; {programs}/ninja is 1.8.2" in text
    assert " fix  python -m pip install ninja" in text


def test_a_package_installed_while_it_runs_is_found(bare: Doctor, tmp_path: Path) -> None:
    """The checkout's own folder cmake/ must not be mistaken for the package."""
    script = f"""
import sys; sys.path[:0] = ["{bare.project.root}", "{tmp_path}", *{sys.path[1:]!r}]
from pathlib import Path
from tools.setup_helpers.probes.build_tool import find_tool
from tools.base.programs import Programs
import scikit_build_core.program_search  # it may be installed next to PyPI's cmake
sys.path = [p for p in sys.path if not Path(p, "cmake/__init__.py").exists()]
nowhere = Programs({{"PATH": "/nowhere"}})
import os; os.environ["PATH"] = "/nowhere"
assert find_tool("cmake", "3.25", nowhere) is None
program = Path("{tmp_path}/cmake/cmake")
program.parent.mkdir()
program.write_text("#!/bin/sh\\necho cmake version 9.9.9")
program.chmod(0o755)
(program.parent / "__init__.py").write_text(f'CMAKE_BIN_DIR = "{{program.parent}}"')
import importlib; importlib.invalidate_caches()
assert find_tool("cmake", "3.25", nowhere).version == "9.9.9"
"""
    bare.project.call([sys.executable, "-c", script])


def test_a_missing_cmake_lists_the_places_searched(bare: Doctor, programs: Path) -> None:
    (programs / "cmake").unlink()
    text = doctor_output(bare, programs)
    assert "cmake >= 3.25 was not found" in text
    assert " looked in  PATH" in text
    assert f" looked in  packages of {bare.project.python}" in text
