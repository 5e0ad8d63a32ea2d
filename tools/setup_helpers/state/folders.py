"""Build directories: recognise one, hide it from git, and delete what a killed build left in it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tools.base.atomic import is_temporary

# The first record of each command of the front end, and CMake's own.
_RECORDS = ("options.json", "CMakeCache.txt", "build.lock", "codegen.json")
NAME = ".gitignore"
_TEXT = "# Made by the build.\n*\n"
# The link by which compilers see the sources (cmake/Modules/canonical_command.sh). The first compilation
# creates it. It is removed after each build: the sources usually hold the build directory, so a program
# that copies a tree and follows links would never end.
SOURCES_LINK = ".sources"


def is_build_directory(folder: Path) -> bool:
    """Whether the folder holds at least one such record."""
    return any((folder / name).exists() for name in _RECORDS)


def write_ignore_file(folder: str | os.PathLike[str]) -> None:
    """Create the folder if needed, and its .gitignore unless there is one."""
    os.makedirs(folder, exist_ok=True)
    try:
        with open(os.path.join(folder, NAME), "x", encoding="ascii") as file:
            file.write(_TEXT)
    except FileExistsError:
        pass


def remove_ignored_folder(folder: Path) -> None:
    """Delete the folder if it holds nothing but our .gitignore."""
    if not folder.is_dir() or any(path.name != NAME for path in folder.iterdir()):
        return
    delete_ignore_file(folder)
    if not any(folder.iterdir()):
        folder.rmdir()


def delete_ignore_file(folder: Path) -> None:
    """Delete the .gitignore unless somebody else wrote it."""
    path = folder / NAME
    if path.is_file() and not path.is_symlink() and path.read_text(errors="replace") == _TEXT:
        path.unlink()


def remove_leftovers(
    root: Path, present: Iterable[os.DirEntry[str]], staged: Iterable[str]
) -> None:
    """Delete unfinished files. The caller holds the lock; `present` lists the build directory's files."""
    for entry in present:
        if is_temporary(entry.name) or (entry.name == SOURCES_LINK and entry.is_symlink()):
            os.unlink(entry.path)
    for folder in {os.path.dirname(f"{root}/{path}") for path in staged}:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if is_temporary(name):
                os.unlink(f"{folder}/{name}")


def remove_sources_link(build_dir: Path) -> None:
    """Delete the link to the sources, after Ninja has ended."""
    link = build_dir / SOURCES_LINK
    if link.is_symlink():
        link.unlink()
