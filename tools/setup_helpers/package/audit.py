"""Examine every ELF file of a package: what it needs, what it shows, what it gives away.

Knows ELF and a set of rules; what the rules are is the table's business.
"""

from __future__ import annotations

import fnmatch
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection, DynamicTag
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from ..table.config import Packaging

ELF_MAGIC = b"\x7fELF"
_UNDEFINED = 0
_BINDINGS = frozenset({1, 2, 10})  # global, weak, and unique (of the system's own range)
_VISIBILITIES = frozenset({0, 3})  # default, protected


@dataclass(frozen=True)
class _SymbolLayout:
    """An entry of a symbol table: the ELF specification's Elf32_Sym and Elf64_Sym."""

    format: str
    name_info_other_section: tuple[int, int, int, int]


_SYMBOLS = {32: _SymbolLayout("IIIBBH", (0, 3, 4, 5)), 64: _SymbolLayout("IBBHQQ", (0, 1, 2, 3))}
# An exported symbol that breaks the rules rarely comes alone; a message names this many.
SYMBOLS_SHOWN = 5


@dataclass(frozen=True)
class ElfFacts:
    """The dynamic section and dynamic symbols of one ELF file."""

    path: PurePosixPath
    soname: str | None
    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]
    exports: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """One broken rule."""

    path: PurePosixPath
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.rule}: {self.message}"


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(ELF_MAGIC)) == ELF_MAGIC


def read_elf(name: PurePosixPath, path: Path) -> ElfFacts:
    """Raise ELFError when the file is cut short or malformed."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        soname: str | None = None
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
                    case "DT_SONAME":
                        soname = _text(tag, "soname")
                    case "DT_RPATH":
                        rpath.extend(_text(tag, "rpath").split(":"))
                    case "DT_RUNPATH":
                        runpath.extend(_text(tag, "runpath").split(":"))
        exports = _exported_symbols(elf)
    return ElfFacts(name, soname, tuple(needed), tuple(rpath), tuple(runpath), exports)


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


def audit_package(
    files: Mapping[str, Path], rules: Packaging, private_paths: Sequence[Path] = ()
) -> list[Finding]:
    """Check the ELF files among `files` (name in the package -> file on disk).

    None of `private_paths` (source, build and home folders) may appear in their bytes.
    """
    findings: list[Finding] = []
    facts: list[ElfFacts] = []
    for name, path in sorted(files.items()):
        if not path.is_file() or not is_elf(path):
            continue
        try:
            facts.append(read_elf(PurePosixPath(name), path))
        except (ELFError, UnicodeDecodeError) as error:
            findings.append(Finding(PurePosixPath(name), "format", f"not readable ELF: {error}"))
    inside = {fact.path for fact in facts}
    for fact in facts:
        findings.extend(_check_runpath(fact))
        findings.extend(_check_needed(fact, rules.system_libraries, inside))
        findings.extend(_check_exports(fact, rules.exported_symbols))
        findings.extend(_check_strings(fact.path, files[str(fact.path)], private_paths))
    return findings


def _check_runpath(fact: ElfFacts) -> Iterable[Finding]:
    if fact.rpath:
        yield Finding(fact.path, "rpath", f"DT_RPATH {':'.join(fact.rpath)}; use RUNPATH")
    for entry in fact.runpath:
        if entry != "$ORIGIN" and not entry.startswith("$ORIGIN/"):
            yield Finding(fact.path, "runpath", f"{entry or '(empty)'} does not start with $ORIGIN")


def _check_needed(
    fact: ElfFacts, system_libraries: Sequence[str], inside: set[PurePosixPath]
) -> Iterable[Finding]:
    folders = [_origin(fact.path, entry) for entry in fact.runpath]
    for name in fact.needed:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in system_libraries):
            continue
        if not any(folder / name in inside for folder in folders):
            searched = ", ".join(fact.runpath) or "no RUNPATH"
            yield Finding(
                fact.path,
                "needed",
                f"{name} is neither a system library nor in the package ({searched})",
            )


def _origin(path: PurePosixPath, entry: str) -> PurePosixPath:
    """Resolve a RUNPATH entry against the file that carries it, within the package."""
    parts: list[str] = list(path.parent.parts)
    for part in PurePosixPath(entry.removeprefix("$ORIGIN").lstrip("/")).parts:
        if part == "..":
            parts = parts[:-1]
        else:
            parts.append(part)
    return PurePosixPath(*parts)


def _check_exports(fact: ElfFacts, rows: Sequence[tuple[str, Sequence[str]]]) -> Iterable[Finding]:
    """The first row whose file pattern fits holds the regular expressions of (mangled) names."""
    name = fact.path.name
    allowed = next((row for pattern, row in rows if fnmatch.fnmatchcase(name, pattern)), None)
    if allowed is None:
        yield Finding(fact.path, "exports", "no row of the export allow-list names this file")
        return
    permitted = re.compile("|".join(f"(?:{pattern})" for pattern in allowed) or r"(?!)")
    extra = [symbol for symbol in fact.exports if not permitted.match(symbol)]
    if extra:
        shown = ", ".join(extra[:SYMBOLS_SHOWN])
        more = f" and {len(extra) - SYMBOLS_SHOWN} more" if len(extra) > SYMBOLS_SHOWN else ""
        yield Finding(fact.path, "exports", f"{shown}{more} not on the allow-list")


def _check_strings(
    name: PurePosixPath, path: Path, private_paths: Sequence[Path]
) -> Iterable[Finding]:
    if not private_paths:
        return
    data = path.read_bytes()
    for private in private_paths:
        # A path that is one short word ("/", "/tmp") would match by chance and gives nothing away.
        text = str(private)
        if len(private.parts) > 2 and text.encode() in data:
            yield Finding(name, "strings", f"contains the build path {text}")
