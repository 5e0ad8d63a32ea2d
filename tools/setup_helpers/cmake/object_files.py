"""Find out which compilers made a tree's object files, from their `.comment` sections."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from struct import Struct

from tools.base.ninja_manifest import read_edges

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian
_HEADER = Struct("<40xQ10xHHH")  # section table: offset, entry size, entries, index of names
_SECTION = Struct("<I20xQQ24x")  # name, offset, size


def compilers_of_objects(build_dir: Path) -> Counter[str]:
    """Return the number of object files for each compiler, by the compiler's own name."""
    counts: Counter[str] = Counter()
    for path in _objects(build_dir):
        if name := _compiler_of(path):
            counts[name] += 1
    return counts


def remove_objects(build_dir: Path, suffixes: tuple[str, ...]) -> None:
    """Delete all object files of sources with these suffixes, to which CMake appends its own.

    Ninja compares command lines and times, so it cannot notice that a compiler was replaced.
    """
    for path in _objects(build_dir):
        if path.removesuffix(".o").endswith(suffixes):
            os.unlink(path)


def remove_linked_files(build_dir: Path) -> None:
    """Delete all libraries, extensions and programs that the build graph links."""
    for edge in read_edges(build_dir):
        if "_LINKER__" in edge.rule:
            for output in edge.outputs:
                (build_dir / output).unlink(missing_ok=True)


def _objects(build_dir: Path) -> Iterator[str]:
    for folder, _, names in os.walk(build_dir / "CMakeFiles"):
        for name in names:
            if name.endswith(".o"):
                yield os.path.join(folder, name)


def _compiler_of(path: str) -> str:
    """Return the compiler's name; empty if the file is no 64-bit object or does not name one."""
    with open(path, "rb") as file:
        header = file.read(64)
        if len(header) < 64 or not header.startswith(_MAGIC):
            return ""
        table, size, count, names_index = _HEADER.unpack(header)
        file.seek(table)
        entries = file.read(size * count)
        if size != _SECTION.size or len(entries) != size * count or names_index >= count:
            return ""
        sections = list(_SECTION.iter_unpack(entries))
        _, offset, length = sections[names_index]
        file.seek(offset)
        names = file.read(length)
        # Assemblers write the section near the end, after thousands of sections of functions.
        for name, offset, length in reversed(sections):
            if names.startswith(b".comment\0", name):
                file.seek(offset)
                return _version(file.read(length))
    return ""


def _version(comment: bytes) -> str:
    texts = [text.decode("utf-8", "replace") for text in comment.split(b"\0") if text]
    return re.sub(r"^GCC: \((.*)\) (\S+)$", r"GCC \2 (\1)", texts[-1]) if texts else ""
