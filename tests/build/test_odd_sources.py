"""Sources with byte order marks or odd names, and what is no file among them."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from .fixture_project import Project

MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    "name",
    [
        "build_config.toml",
        "version.txt",
        "words.yaml",
        "phrases.yaml",
        "src/greet.h",
        "tiny/__init__.py",
    ],
)
def test_a_byte_order_mark_is_no_text(developed: Project, name: str) -> None:
    """Some editors begin every file with one."""
    path = developed.root / name
    path.write_bytes(MARK + path.read_bytes())
    developed.run("develop")
    assert developed.words() == "['HELLO', 'WORLD']\n"
    assert developed.run("develop").stdout == "up to date\n"


def test_a_byte_order_mark_in_pyproject_is_named(developed: Project) -> None:
    """pip cannot read such a file either."""
    path = developed.root / "pyproject.toml"
    path.write_bytes(MARK + path.read_bytes())
    result = developed.run("develop", check=False)
    assert result.returncode == 3
    assert "byte order mark" in result.stderr and "hint: save it without, as UTF-8" in result.stderr


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    before = os.getcwd()
    os.chdir(path.parent)  # a socket's path may have 108 bytes
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(before)


def make_device_link(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [make_pipe, make_socket, make_device_link])
def test_what_is_no_file_among_the_sources_is_ignored(developed: Project, make) -> None:  # type: ignore[no-untyped-def]
    for folder in ("src", "templates", "generator", "tiny"):
        make(developed.root / folder / "special")
    make(developed.root / "templates/special.h")
    developed.run("develop")
    assert developed.words() == "['HELLO', 'WORLD']\n"
    assert developed.run("develop").stdout == "up to date\n"
    developed.run("bdist_wheel")
    developed.run("sdist")


@pytest.mark.parametrize("make", [make_pipe, make_socket])
def test_what_is_no_file_where_a_source_is_searched_is_named(developed: Project, make) -> None:  # type: ignore[no-untyped-def]
    make(developed.root / "src/kernels/special.c")
    result = developed.run("develop", check=False)
    assert result.returncode == 2
    assert "src/kernels/special.c is a " in result.stderr and "hint: " in result.stderr


@pytest.mark.parametrize("name", ["a;b.c", os.fsdecode(b"\xe9t\xe9.c"), "a\nb.c"])
def test_a_source_with_a_name_that_no_build_can_use_is_named(developed: Project, name: str) -> None:
    (developed.root / "src/kernels" / name).write_text("int tiny_more(void);\n")
    result = developed.run("develop", check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("error: ") and "rename" in result.stderr
    (developed.root / "src/kernels" / name).unlink()
    assert developed.run("develop").returncode == 0


def test_a_name_that_ninja_had_cmake_misread_does_no_lasting_harm(developed: Project) -> None:
    """CMake writes the names that it found into a script, and a quote makes that script unreadable."""
    odd = developed.root / 'src/kernels/a"b.c'
    odd.write_text("int tiny_more(void);\n")
    developed.call(["ninja", "-C", "build"], check=False)
    odd.unlink()
    developed.edit("src/greet.c", "toupper", "tolower")
    if developed.run("develop", check=False).returncode:
        developed.run("develop")
    assert developed.words() == "['hello', 'world']\n"


def test_a_damaged_list_of_found_sources_is_written_again(developed: Project) -> None:
    (developed.root / "build/CMakeFiles/VerifyGlobs.cmake").write_text('set(A "')
    developed.edit("src/greet.c", "toupper", "tolower")
    developed.run("develop")
    assert developed.words() == "['hello', 'world']\n"


def test_links_to_the_folders_that_they_are_in_end(developed: Project) -> None:
    """Through two of them, a walk would take for ever."""
    for folder, up in (("src", "."), ("src/kernels", ".."), ("tiny", "."), ("generator", "..")):
        for number in range(3):
            (developed.root / folder / f"up{number}").symlink_to(up)
    developed.run("develop")
    assert developed.words() == "['HELLO', 'WORLD']\n"
    assert developed.run("develop").stdout == "up to date\n"
