"""Build directories: recognise one, hide it from git, know which of its files CMake made, and delete leftovers.

CMake keeps no list of the files it writes. So the files present in its folders are recorded before it starts,
and compared with those present when the build has ended. `clean` keeps all others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from tools.base.atomic import is_temporary
from tools.base.store import Record, declared_files

# The first record of each command of the front end, and CMake's own.
_RECORDS = ("options.json", "CMakeCache.txt", "build.lock", "codegen.json")
NAME = ".gitignore"
_TEXT = "# Made by the build.\n*\n"
# The link by which compilers see the sources (cmake/Modules/canonical_command.sh). The first compilation
# creates it. It is removed after each build: the sources usually hold the build directory, so a program
# that copies a tree and follows links would never end.
SOURCES_LINK = ".sources"
# Before a configuration, the files present that are not the build's; after a build, those that it made.
_FILES: Record[dict[str, list[str]]] = Record("made_files.json")
# The folders in which CMake and its modules write files that no list names.
_UNLISTED = ("CMakeFiles", "third_party")
_MADE, _FOREIGN = "made", "foreign"
# The dependencies of a custom command, in a file that CMake names by the command's absolute path. Ninja on
# its own writes them after the record; in a moved tree no command has that name any more.
_DEPENDENCIES = re.compile(r"CMakeFiles/d/[0-9a-f]{64}\.d")
# CMake and Ninja write to files with these endings and then rename them.
_BEING_WRITTEN = re.compile(r"(?P<name>.+)\.(tmp[0-9a-f]{5}|recompact)")


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
    """Delete the .gitignore, also one that a killed build left half written, unless it is somebody else's."""
    path = folder / NAME
    if path.is_symlink() or not path.is_file():
        return
    if _TEXT.startswith(path.read_text(errors="replace")):
        path.unlink()


def remove_leftovers(
    root: Path, present: Iterable[os.DirEntry[str]], staged: Iterable[str]
) -> None:
    """Delete unfinished files. The caller holds the lock; `present` lists the build directory's files."""
    for entry in present:
        is_link = entry.name == SOURCES_LINK and entry.is_symlink()
        if is_link or is_temporary(entry.name) or _is_of_cmake_or_ninja(entry.name):
            os.unlink(entry.path)
    for folder in {os.path.dirname(f"{root}/{path}") for path in staged}:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if is_temporary(name):
                os.unlink(f"{folder}/{name}")


def _is_of_cmake_or_ninja(name: str) -> bool:
    match = _BEING_WRITTEN.fullmatch(name)
    return match is not None and match["name"] in declared_files()


def remove_sources_link(build_dir: Path) -> None:
    """Delete the link to the sources, after Ninja has ended."""
    link = build_dir / SOURCES_LINK
    if link.is_symlink():
        link.unlink()


def record_present_files(build_dir: Path) -> None:
    """Record the files present before CMake runs.

    After a killed build, files that appeared since its beginning count as CMake's.
    """
    record = _read(build_dir)
    present = _present(build_dir)
    if _MADE in record:
        unknown = present - set(record[_MADE])
        foreign = {p for p in unknown if not (p.endswith("/") or _DEPENDENCIES.fullmatch(p))}
    else:
        foreign = present & set(record[_FOREIGN])
    _FILES.write(build_dir, {_FOREIGN: sorted(foreign)})


def record_made_files(build_dir: Path) -> None:
    """Record the files that the build created; files that appear later are not the build's."""
    if _FOREIGN in _read(build_dir):
        _FILES.write(build_dir, {_MADE: sorted(made_files(build_dir))})


def made_files(build_dir: Path) -> set[str]:
    """Return relative paths; the path of an empty folder ends with a slash."""
    record = _read(build_dir)
    if _MADE in record:
        return set(record[_MADE])
    return _present(build_dir) - set(record[_FOREIGN])


def _read(build_dir: Path) -> dict[str, list[str]]:
    """Return the record; without a usable one, no file counts as made."""
    record = _FILES.read(build_dir) or {}
    return record if record.keys() & {_MADE, _FOREIGN} else {_MADE: []}


def _present(build_dir: Path) -> set[str]:
    found: set[str] = set()
    for name in _UNLISTED:
        for folder, folders, files in os.walk(build_dir / name):
            place = os.path.relpath(folder, build_dir)
            links = [f for f in folders if os.path.islink(os.path.join(folder, f))]
            found.update(os.path.join(place, file) for file in (*files, *links))
            if not folders and not files:
                found.add(f"{place}/")
    return found
