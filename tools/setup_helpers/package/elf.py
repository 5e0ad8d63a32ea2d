"""Read the dynamic section and the dynamic symbols of an ELF file, and turn its RPATH into a RUNPATH.

Source: the System V ABI, "Object Files" and "Dynamic Linking". Every build that links reads these two
tables; importing a library for all of ELF and DWARF took longer than all other work after linking.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ELF_MAGIC = b"\x7fELF"
# Types of sections.
_DYNAMIC, _DYNAMIC_SYMBOLS, _NEEDED_VERSIONS = 6, 11, 0x6FFFFFFE
# Tags of the dynamic section.
_NEEDED, _RPATH, _RUNPATH = 1, 15, 29
_UNDEFINED = 0
_BINDINGS = frozenset({1, 2, 10})  # global, weak, and unique (of the system's own range)
_VISIBILITIES = frozenset({0, 3})  # default, protected


@dataclass(frozen=True)
class ElfFacts:
    """The dynamic section and dynamic symbols of one ELF file."""

    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]
    exports: tuple[str, ...]


@dataclass(frozen=True)
class _Layout:
    """The struct formats of a file class (32 or 64 bits): header, section, tag and symbol."""

    header: str
    section: str
    tag: str
    symbol: str
    name_info_other_section: tuple[int, int, int, int]
    """The positions of these fields in a symbol."""


_LAYOUTS = {
    1: _Layout("16xHHIIIIIHHHHHH", "IIIIIIIIII", "iI", "IIIBBH", (0, 3, 4, 5)),
    2: _Layout("16xHHIQQQIHHHHHH", "IIQQQQIIQQ", "qQ", "IBBHQQ", (0, 1, 2, 3)),
}
_BYTE_ORDERS = {1: "<", 2: ">"}


@dataclass(frozen=True)
class _Section:
    type: int
    offset: int
    size: int
    link: int
    """For a table, the index of the section that holds its strings."""


def is_elf(path: Path) -> bool:
    """Whether a file starts with the ELF magic number."""
    with path.open("rb", buffering=0) as file:
        return file.read(len(ELF_MAGIC)) == ELF_MAGIC


def read_elf(path: Path) -> ElfFacts:
    """Read the facts of one file. Raise ValueError when it is truncated or malformed."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            elf = _Elf(data)
            texts = list(elf.dynamic_texts())
            exports = sorted(elf.exported_symbols())
        except (struct.error, LookupError) as error:
            raise ValueError(f"cut short or malformed ({error})") from error
    needed, rpath, runpath = (
        [text for tag, text in texts if tag == wanted] for wanted in (_NEEDED, _RPATH, _RUNPATH)
    )
    return ElfFacts(tuple(needed), _folders(rpath), _folders(runpath), tuple(exports))


def needed_versions(path: Path) -> dict[str, tuple[str, ...]]:
    """Map each library that a file needs to the symbol versions that it needs of it, such as GLIBC_2.34."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return dict(_Elf(data).needed_versions())
        except (struct.error, LookupError) as error:
            raise ValueError(f"cut short or malformed ({error})") from error


def replace_rpath(path: Path) -> None:
    """Turn the RPATH of a file into a RUNPATH, in place; raise ValueError when the file is malformed.

    The two differ only in their tag, so nothing in the file moves. The loader searches a RUNPATH after
    LD_LIBRARY_PATH, and only for the libraries that the file itself needs.
    """
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        try:
            _Elf(data).replace_tags(_RPATH, _RUNPATH)
        except (struct.error, LookupError) as error:
            raise ValueError(f"cut short or malformed ({error})") from error


def _folders(paths: list[str]) -> tuple[str, ...]:
    return tuple(folder for path in paths for folder in path.split(":"))


class _Elf:
    """The tables of one mapped file."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._layout = _LAYOUTS[data[4]]
        self._order = _BYTE_ORDERS[data[5]]
        header = struct.unpack_from(self._order + self._layout.header, data)
        start, size, count = header[5], header[10], header[11]
        rows = self._rows(self._layout.section, self._bytes(start, size * count))
        self._sections = [_Section(row[1], row[4], row[5], row[6]) for row in rows]

    def dynamic_texts(self) -> Iterator[tuple[int, str]]:
        """Yield the tag and text of each entry that refers to a string."""
        for section in self._of_type(_DYNAMIC):
            strings = self._content(self._sections[section.link])
            for tag, value in self._rows(self._layout.tag, self._content(section)):
                if tag in (_NEEDED, _RPATH, _RUNPATH):
                    yield tag, _text(strings, value)

    def replace_tags(self, old: int, new: int) -> None:
        """Give the entries of the dynamic section that have one tag another; the map must be writable."""
        layout = self._order + self._layout.tag
        for section in self._of_type(_DYNAMIC):
            for index, (tag, value) in enumerate(
                self._rows(self._layout.tag, self._content(section))
            ):
                if tag == old:
                    place = section.offset + index * struct.calcsize(layout)
                    struct.pack_into(layout, self._data, place, new, value)

    def exported_symbols(self) -> Iterator[str]:
        """Yield the names of the exported symbols; a library has thousands, so the table is read at once."""
        for section in self._of_type(_DYNAMIC_SYMBOLS):
            strings = self._content(self._sections[section.link])
            for row in self._rows(self._layout.symbol, self._content(section)):
                name, info, other, place = (row[i] for i in self._layout.name_info_other_section)
                shown = info >> 4 in _BINDINGS and other & 3 in _VISIBILITIES
                if name and shown and place != _UNDEFINED:
                    yield _text(strings, name)

    def needed_versions(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each library with the versions needed of it; both are linked lists within the section."""
        for section in self._of_type(_NEEDED_VERSIONS):
            table, strings = self._content(section), self._content(self._sections[section.link])
            at, step = 0, 1
            while step:
                _, count, library, first, step = struct.unpack_from(
                    f"{self._order}HHIII", table, at
                )
                versions, place = [], at + first
                for _ in range(count):
                    row = struct.unpack_from(f"{self._order}IHHII", table, place)
                    versions.append(_text(strings, row[3]))
                    place += row[4]
                yield _text(strings, library), tuple(versions)
                at += step

    def _of_type(self, number: int) -> list[_Section]:
        return [section for section in self._sections if section.type == number]

    def _content(self, section: _Section) -> bytes:
        return self._bytes(section.offset, section.size)

    def _bytes(self, start: int, size: int) -> bytes:
        if start + size > len(self._data):
            raise LookupError(f"{size} bytes at {start} of {len(self._data)}")
        return self._data[start : start + size]

    def _rows(self, layout: str, table: bytes) -> Iterator[tuple[Any, ...]]:
        return struct.iter_unpack(self._order + layout, table)


def _text(strings: bytes, start: int) -> str:
    return strings[start : strings.index(0, start)].decode()
