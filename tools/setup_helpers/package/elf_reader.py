"""Reading ELF files. Imported where there is one to read: the library takes its time."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection, DynamicTag
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from .elf import ElfFacts

_UNDEFINED = 0
_BINDINGS = frozenset({1, 2, 10})  # global, weak, and unique (of the system's own range)
_VISIBILITIES = frozenset({0, 3})  # default, protected


@dataclass(frozen=True)
class _SymbolLayout:
    """An entry of a symbol table: the ELF specification's Elf32_Sym and Elf64_Sym."""

    format: str
    name_info_other_section: tuple[int, int, int, int]


_SYMBOLS = {32: _SymbolLayout("IIIBBH", (0, 3, 4, 5)), 64: _SymbolLayout("IBBHQQ", (0, 1, 2, 3))}


def read_elf(path: Path) -> ElfFacts:
    """Raises ValueError when the file is cut short or malformed."""
    try:
        return _read(path)
    except ELFError as error:
        raise ValueError(str(error)) from error


def _read(path: Path) -> ElfFacts:
    with path.open("rb") as file:
        elf = ELFFile(file)
        needed: list[str] = []
        rpath: list[str] = []
        runpath: list[str] = []
        for section in elf.iter_sections():
            if not isinstance(section, DynamicSection):
                continue
            for tag in section.iter_tags():
                match tag.entry.d_tag:
                    case "DT_NEEDED":
                        needed.append(_text(tag, "needed"))
                    case "DT_RPATH":
                        rpath.extend(_text(tag, "rpath").split(":"))
                    case "DT_RUNPATH":
                        runpath.extend(_text(tag, "runpath").split(":"))
        exports = _exported_symbols(elf)
    return ElfFacts(tuple(needed), tuple(rpath), tuple(runpath), exports)


def _text(tag: DynamicTag, name: str) -> str:
    # pyelftools adds the text of a tag as an attribute named for its kind.
    return str(getattr(tag, name))


def _exported_symbols(elf: ELFFile) -> tuple[str, ...]:
    table = elf.get_section_by_name(".dynsym")
    if not isinstance(table, SymbolTableSection):
        return ()
    names = table.stringtable.data()
    return tuple(sorted(_name_at(names, start) for start in _exported_names(elf, table) if start))


def _exported_names(elf: ELFFile, table: SymbolTableSection) -> Iterator[int]:
    """Where each exported symbol's name starts. Read in one go: a library has thousands of them."""
    layout = _SYMBOLS[elf.elfclass]
    order = "<" if elf.little_endian else ">"
    for fields in struct.iter_unpack(order + layout.format, table.data()):
        name, info, other, section = (fields[index] for index in layout.name_info_other_section)
        if section != _UNDEFINED and info >> 4 in _BINDINGS and other & 3 in _VISIBILITIES:
            yield name


def _name_at(names: bytes, start: int) -> str:
    return names[start : names.index(0, start)].decode()
