"""What surrounds a build: home folders, limits of the shell, encodings, and the names of the interpreter."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from .fixture_project import Project

UNKNOWN_USER = """
import pwd

def getpwuid(number):
    raise KeyError(f"getpwuid(): uid not found: {number}")

pwd.getpwuid = getpwuid
"""


def test_a_user_without_a_home(project: Project, tmp_path: Path) -> None:
    """Containers run as numbers that no file of the image knows."""
    (tmp_path / "sitecustomize.py").write_text(UNKNOWN_USER)
    command = ["env", "-u", "HOME", str(project.python), "setup.py", "build"]
    assert "audit" in project.call(command, PYTHONPATH=str(tmp_path)).stdout
    assert (
        "ok       writable"
        in project.call([*command[:-1], "doctor"], PYTHONPATH=str(tmp_path)).stdout
    )


def test_a_build_directory_in_the_home_folder(project: Project, tmp_path: Path) -> None:
    """No shell expands the tilde of `-DBUILD_DIR=~/made`; a folder named `~` would be a trap."""
    home = {"HOME": str(tmp_path)}
    project.run("develop", "-DBUILD_DIR=~/made", **home)
    assert (tmp_path / "made/build.ninja").exists() and not (project.root / "~").exists()
    again = project.run("develop", "-DBUILD_DIR=~/made", **home)
    assert again.stdout == "up to date\n"


@pytest.mark.parametrize("place", [".", "..", "src", "words.yaml"])
def test_a_build_directory_with_other_files_is_refused(project: Project, place: str) -> None:
    before = project.files()
    result = project.run("build", BUILD_DIR=place, check=False)
    assert result.returncode == 2
    assert project.files() == before
    assert "Traceback" not in result.stderr


def test_the_home_folder_of_an_unknown_user_is_refused(project: Project) -> None:
    result = project.run("build", BUILD_DIR="~nobody-here/made", check=False)
    assert result.returncode == 2 and not (project.root / "~nobody-here").exists()
    assert "~nobody-here/made is in the home folder of an unknown user" in result.stderr


def test_a_limit_of_the_size_of_files_is_named(developed: Project) -> None:
    developed.edit("src/greet.c", "toupper", "tolower")
    limit = 3000
    result = subprocess.run(
        [str(developed.python), "setup.py", "develop"],
        cwd=developed.root,
        env=developed.variables(),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert result.returncode == 3
    assert result.stderr.startswith(f"error: File too large: {developed.root}/build/")
    assert "hint: raise the limit of this shell: ulimit -f unlimited" in result.stderr
    developed.run("develop")
    assert developed.words() == "['hello', 'world']\n"


def test_a_value_that_is_not_utf_8_is_refused(project: Project) -> None:
    flags = os.fsdecode(b"-DNAME=\xff")
    result = project.run("develop", CFLAGS=flags, check=False)
    assert result.returncode == 2
    assert "CFLAGS='-DNAME=\\udcff': not UTF-8" in result.stderr


def test_every_name_of_the_interpreter_is_the_same(developed: Project) -> None:
    for name in ("python3", "python"):
        command = [str(developed.python.with_name(name)), "setup.py", "develop"]
        assert developed.call(command).stdout == "up to date\n"
        command = ["env", "-u", "VIRTUAL_ENV", *command]
        assert developed.call(command).stdout == "up to date\n"


@pytest.mark.parametrize("mask", [0o077, 0o000])
def test_the_mask_of_permissions_changes_nothing(developed: Project, mask: int) -> None:
    developed.edit("src/greet.c", "toupper", "tolower")
    command = ["sh", "-c", f"umask {mask:03o}; '{developed.python}' setup.py develop"]
    developed.call(command)
    assert developed.words() == "['hello', 'world']\n"
    assert developed.run("develop").stdout == "up to date\n"


def test_a_locale_with_another_encoding(project: Project, tmp_path: Path) -> None:
    """The checkout's path is UTF-8, as CMake and Ninja read it."""
    locale = "de_DE.ISO-8859-1"
    command = ["localedef", "-i", "de_DE", "-f", "ISO-8859-1", tmp_path / locale]
    if not shutil.which("localedef") or subprocess.run(command, check=False).returncode:
        pytest.skip("localedef cannot make a locale here: install the package `locales`")
    moved = Project(tmp_path / "größe" / "tiny", project.python)
    shutil.copytree(project.root, moved.root)
    environ = {"LC_ALL": locale, "LOCPATH": str(tmp_path)}
    moved.run("develop", **environ)
    assert moved.words() == "['HELLO', 'WORLD']\n"
    assert moved.run("develop", **environ).stdout == "up to date\n"
