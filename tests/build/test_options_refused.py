"""An option that cannot be met is refused before any work, with the missing item and the places searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conditions import wrap_compilers
from .fixture_project import Project

ROWS = """
[options.TINY_ELEPHANT]
help = "Use an elephant"
type = "auto"
probe = "cmake_package"
probe_arguments = ["Elephant", "elephant.h"]

[options.TINY_TRUNK]
help = "Use its trunk"
requires = "TINY_ELEPHANT"

[options.TINY_ASAN]
help = "Compile with the address sanitizer"
probe = "compiler_links"
probe_arguments = ["-fsanitize=address"]
"""
# Behaves like a compiler whose sanitizer runtime is not installed.
WITHOUT_SANITIZERS = """\
case "$*" in *-fsanitize=*) echo "ld: cannot find libasan_preinit.o: No such file" >&2; exit 1;; esac
"""


@pytest.fixture
def refusing(project: Project) -> Project:
    with (project.root / "build_config.toml").open("a") as file:
        file.write(ROWS)
    return project


def refused(project: Project, code: int, **environ: str) -> str:
    result = project.run("develop", check=False, **environ)
    assert result.returncode == code and "Traceback" not in result.stderr
    assert not (project.root / "build").exists()
    return result.stderr


def test_a_missing_package(refusing: Project, tmp_path: Path) -> None:
    output = refused(refusing, 3, TINY_ELEPHANT="1", CMAKE_PREFIX_PATH=str(tmp_path))
    assert "TINY_ELEPHANT=1 cannot be met: Elephant is not installed" in output
    assert f"  looked: {tmp_path}\n  looked: /usr/local\n  looked: /usr\n" in output
    assert output.endswith("hint: install what is missing, or leave TINY_ELEPHANT out\n")


def test_a_dependent_option_names_the_same_places(refusing: Project, tmp_path: Path) -> None:
    output = refused(refusing, 2, TINY_TRUNK="ON", CMAKE_PREFIX_PATH=str(tmp_path))
    assert "TINY_TRUNK=ON cannot be met: it needs TINY_ELEPHANT" in output
    assert "TINY_ELEPHANT=OFF (detected: Elephant is not installed)" in output
    assert f"looked: {tmp_path}" in output


def test_without_a_request_the_option_is_off(refusing: Project, tmp_path: Path) -> None:
    output = refusing.run("options", CMAKE_PREFIX_PATH=str(tmp_path)).stdout
    assert "OFF          detected: Elephant is not installed" in output
    assert f"looked: {tmp_path}" in output


def test_a_sanitizer_without_its_library(refusing: Project, tmp_path: Path) -> None:
    path = wrap_compilers(tmp_path / "compilers", WITHOUT_SANITIZERS)
    output = refused(refusing, 3, TINY_ASAN="1", PATH=path)
    assert (
        "c++ -fsanitize=address cannot build a program: ld: cannot find libasan_preinit.o" in output
    )
