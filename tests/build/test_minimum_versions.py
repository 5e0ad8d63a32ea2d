"""The oldest versions of Python, CMake, Ninja and compilers are each stated once, and read from there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tools.base.errors import BuildError
from tools.base.programs import Programs
from tools.setup_helpers.probes.build_tool import require_tool
from tools.setup_helpers.table.config_reader import load

from .fixture_project import ROOT, Project

# Files that are not documents of one release or records of a machine.
READ = ("setup.py", "CMakeLists.txt", "tools/**/*.py", "cmake/**/*.cmake")


def make_program(path: Path, lines: str) -> Path:
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("stated", "pattern"),
    [
        (load(ROOT).python_minimum, r"Python (3\.\d+) or newer|version_info\W+\((3, \d+)\)"),
        (
            load(ROOT).project.cmake_minimum,
            r"(?:cmake_minimum_required\(VERSION|CMake) (3\.\d+)",
        ),
        (load(ROOT).project.ninja_minimum, r"[Nn]inja (?:>= )?(1\.1\d) (?:or newer|is needed)"),
        ("", r"(?:GCC|Clang) (\d+)[^\n]* or newer"),
    ],
    ids=["Python", "CMake", "Ninja", "compilers"],
)
def test_no_program_repeats_a_minimum_version(stated: str, pattern: str) -> None:
    files = {path for glob in READ for path in ROOT.glob(glob)}
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sorted(files)
        for match in re.finditer(pattern, path.read_text(encoding="utf-8"))
        if stated in match[0] or "version_info" in match[0]
    ]
    comments = ("tools/insight/doctor/environment.py: CMake 3.25",)  # what paths were tried with
    assert [each for each in found if each not in comments] == []


@pytest.mark.parametrize("page", ["README.md", "docs/get-started.md"])
def test_documents_state_the_python_that_pip_requires(page: str) -> None:
    stated = re.findall(r"Python (3\.\d+) or newer", (ROOT / page).read_text(encoding="utf-8"))
    assert set(stated) == {load(ROOT).python_minimum}


@pytest.mark.parametrize(("name", "minimum"), load(ROOT).project.tools.items())
def test_the_check_of_a_tool_asks_for_the_version_that_the_build_needs(
    name: str, minimum: str
) -> None:
    checks = {row.arguments[0]: row for row in load(ROOT).checks if row.probe == "build_tool"}
    assert checks[name].arguments == (name, minimum)


def test_a_tool_that_is_just_too_old_fails_in_every_check(project: Project, tmp_path: Path) -> None:
    project.edit("build_config.toml", 'ninja_minimum = "1.10"', 'ninja_minimum = "99.5"')
    config = load(project.root)
    old = make_program(tmp_path / "ninja", "echo 99.4")
    with pytest.raises(BuildError, match=r"ninja >= 99\.5 is not found"):
        require_tool("ninja", config.project.ninja_minimum, Programs({"PATH": str(old.parent)}))


def test_cmake_reads_its_own_minimum_from_the_table(project: Project) -> None:
    project.edit("build_config.toml", 'cmake_minimum = "3.25"', 'cmake_minimum = "99.1"')
    command = ["cmake", "-S", str(project.root), "-B", str(project.root / "build")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "CMake 99.1 or higher is required" in result.stderr


def test_cmake_refuses_a_python_that_is_too_old(project: Project, tmp_path: Path) -> None:
    lines = 'case $1 in -c) echo 3.9.2;; *) echo "No module" >&2; exit 1;; esac'
    old = make_program(tmp_path / "python3", lines)
    result = project.call(["cmake", "-B", "build", f"-DPython_EXECUTABLE={old}"], check=False)
    assert f"{old} is Python 3.9.2; the build needs" in " ".join(result.stderr.split())
    assert "No module" not in result.stderr
