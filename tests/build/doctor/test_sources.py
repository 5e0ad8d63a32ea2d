"""Incomplete checkouts, and paths that CMake or Ninja cannot handle."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ..fixture_project import Project
from .conftest import Doctor


def test_a_missing_source(doctor: Doctor) -> None:
    (doctor.project.root / "src/stub.c").unlink()
    finding = doctor.finding("sources")
    assert finding["status"] == "problem"
    assert finding["finding"] == "src/stub.c is missing"


def test_a_missing_folder_and_an_empty_one(doctor: Doctor) -> None:
    shutil.rmtree(doctor.project.root / "generator")
    (doctor.project.root / "generator").mkdir()
    (doctor.project.root / "words.yaml").unlink()
    assert doctor.finding("sources")["finding"] == "generator is empty, words.yaml is missing"


def test_a_mistake_in_the_metadata(doctor: Doctor) -> None:
    doctor.project.edit("pyproject.toml", "[project]", "[project")
    finding = doctor.finding("sources")
    assert finding["status"] == "problem"
    assert finding["finding"].startswith("pyproject.toml: Expected ']'")


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_git_can_restore_missing_files(doctor: Doctor) -> None:
    root = doctor.project.root
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "src"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], cwd=root, check=True)
    (root / "src/stub.c").unlink()
    remedy = doctor.finding("sources")["remedy"]
    assert remedy == "git checkout -- src/stub.c"
    subprocess.run(remedy.split(), cwd=root, check=True)
    assert doctor.finding("sources")["status"] == "ok"


def test_submodules_that_were_not_fetched(doctor: Doctor) -> None:
    root = doctor.project.root
    assert doctor.finding("submodules")["status"] == "skipped"
    (root / ".gitmodules").write_text(
        '[submodule "one"]\n\tpath = third_party/one\n\turl = x\n'
        '[submodule "two"]\n\tpath = third_party/two\n\turl = x\n'
    )
    (root / "third_party/one").mkdir(parents=True)
    finding = doctor.finding("submodules")
    assert finding["status"] == "problem"
    assert finding["finding"] == "missing or empty: third_party/one, third_party/two"
    assert finding["remedy"] == "git submodule update --init --recursive"
    for name in ("one", "two"):
        (root / "third_party" / name).mkdir(exist_ok=True)
        (root / "third_party" / name / "CMakeLists.txt").touch()
    assert doctor.finding("submodules")["status"] == "ok"


@pytest.mark.parametrize(
    ("name", "status", "at_fault"),
    [
        ("an [odd] one", "problem", "["),
        ("one;two", "problem", ";"),
        ("${HOME}", "problem", "${"),
        ("a\ttab", "problem", r"'\t'"),
        ("two\nlines", "problem", r"'\n'"),
        ("stra\udcdfe", "problem", r"'\udcdf'"),
        ("o'brien", "warning", '"\'"'),
        ("ünïcode, (with) $paces + more@home", "ok", ""),
    ],
)
def test_a_path_that_cmake_or_ninja_cannot_write(
    doctor: Doctor, tmp_path: Path, name: str, status: str, at_fault: str
) -> None:
    place = tmp_path / name
    place.mkdir()
    project = Project(doctor.project.root.rename(place / "tiny"), doctor.project.python)
    finding = Doctor(project).finding("paths")
    assert finding["status"] == status
    shown = str(place) if str(place).isprintable() else ascii(str(place))[:-1]
    assert finding["finding"].startswith(f"{at_fault} in {shown}") or status == "ok"
    if status == "problem":
        output = project.run("develop", check=False).stderr
        assert output.startswith("error: the build cannot start: paths") and at_fault in output
        assert not (project.root / "build/CMakeCache.txt").exists()
    else:  # a warning does not stop the build
        project.run("build")
        deps = project.call(["ninja", "-C", "build", "-t", "deps"]).stdout
        found = f"    {project.root}/src/greet.h\n" in deps
        assert found or status == "warning"  # Ninja 1.13 reads paths that earlier versions do not


def test_a_checkout_whose_name_ends_in_a_space(doctor: Doctor, tmp_path: Path) -> None:
    """Python strips the line of the editable install that names it, and finds nothing."""
    project = Project(doctor.project.root.rename(tmp_path / "tiny "), doctor.project.python)
    assert "error: the build cannot start: paths" in project.run("develop", check=False).stderr


def test_a_build_directory_that_ninja_cannot_write(doctor: Doctor, tmp_path: Path) -> None:
    finding = doctor.finding("paths", BUILD_DIR=str(tmp_path / "a|b"))
    assert finding["finding"] == f"| in {tmp_path}/a|b"
    assert finding["remedy"].endswith("BUILD_DIR=/another/folder python setup.py develop")
