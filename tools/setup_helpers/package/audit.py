"""Check every ELF file of the package against the rules of the table.

The facts of files that break no rule are recorded; a file is read again only when the file, the rules
or this code change.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from tools.base.fingerprint import digest_file, digest_text
from tools.base.store import Record

from ..table.config import Packaging
from .elf import ElfFacts, is_elf, read_elf

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry

# Exported symbols usually break the rules in groups; a message names this many.
SYMBOLS_SHOWN = 5
NAME = "audit.json"
_EXAMINED: Record[dict[str, Any]] = Record(NAME)
_CODE = ("audit.py", "elf.py")


@dataclass(frozen=True)
class Finding:
    """A broken rule."""

    path: PurePosixPath
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class Examined:
    """The result for one file: what checks of other files need from it, and the rules it breaks."""

    is_elf: bool = False
    needed: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def examine(name: str, path: Path, rules: Packaging, private_paths: Sequence[Path]) -> Examined:
    """Check a file against the rules that involve no other file; `name` is its path in the package.

    None of `private_paths` (source, build and home folders) may appear in its bytes.
    """
    if not path.is_file() or not is_elf(path):
        return Examined()
    place = PurePosixPath(name)
    try:
        facts = read_elf(path)
    except ValueError as error:
        return Examined(findings=(Finding(place, "format", f"not readable ELF: {error}"),))
    findings = (
        *_check_runpath(place, facts),
        *_check_exports(place, facts, rules.exported_symbols),
        *_check_strings(place, path, private_paths),
    )
    return Examined(True, facts.needed, facts.runpath, findings)


def judge(examined: Mapping[str, Examined], rules: Packaging) -> list[Finding]:
    """Return the findings of each file, and those about libraries that files need from each other."""
    findings: list[Finding] = []
    for name, each in examined.items():
        findings += each.findings
        if each.needed:
            findings += _check_needed(PurePosixPath(name), each, rules.outside_libraries, examined)
    return findings


def _check_runpath(place: PurePosixPath, facts: ElfFacts) -> Iterable[Finding]:
    if facts.rpath:
        yield Finding(place, "rpath", f"DT_RPATH {':'.join(facts.rpath)}; use RUNPATH")
    for entry in facts.runpath:
        if entry != "$ORIGIN" and not entry.startswith("$ORIGIN/"):
            yield Finding(place, "runpath", f"{entry or '(empty)'} does not start with $ORIGIN")


def _check_needed(
    place: PurePosixPath,
    file: Examined,
    outside_libraries: Sequence[str],
    package: Mapping[str, Examined],
) -> Iterable[Finding]:
    folders = [_origin(place, entry) for entry in file.runpath]
    for name in file.needed:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in outside_libraries):
            continue
        found = (package.get(str(folder / name)) for folder in folders)
        if not any(library and library.is_elf for library in found):
            searched = ", ".join(file.runpath) or "no RUNPATH"
            yield Finding(
                place,
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


def _check_exports(
    place: PurePosixPath, facts: ElfFacts, rows: Sequence[tuple[str, Sequence[str]]]
) -> Iterable[Finding]:
    """Check exported symbols against the first row whose pattern matches the file.

    The row holds regular expressions of mangled names.
    """
    matching = (row for pattern, row in rows if fnmatch.fnmatchcase(place.name, pattern))
    allowed = next(matching, None)
    if allowed is None:
        yield Finding(place, "exports", "no row of the export allow-list names this file")
        return
    permitted = re.compile("|".join(f"(?:{pattern})" for pattern in allowed) or r"(?!)")
    extra = [symbol for symbol in facts.exports if not permitted.match(symbol)]
    if extra:
        shown = ", ".join(extra[:SYMBOLS_SHOWN])
        more = f" and {len(extra) - SYMBOLS_SHOWN} more" if len(extra) > SYMBOLS_SHOWN else ""
        yield Finding(place, "exports", f"{shown}{more} not on the allow-list")


def _check_strings(
    place: PurePosixPath, path: Path, private_paths: Sequence[Path]
) -> Iterable[Finding]:
    if not private_paths:
        return
    data = path.read_bytes()
    for private in private_paths:
        # A short path such as "/" or "/tmp" would match by chance and reveals nothing.
        text = str(private)
        if len(private.parts) > 2 and text.encode() in data:
            yield Finding(place, "strings", f"contains the build path {text}")


def audit_changed(
    files: Mapping[str, Path],
    rules: Packaging,
    private_paths: Sequence[Path],
    build_dir: Path,
    seen: Mapping[str, Entry],
) -> list[Finding]:
    """Audit `files`, a mapping of names in the package to files on disk.

    Files whose content in `seen` equals that of the record are not read again.
    """
    key = _key(rules, private_paths)
    known = _read(build_dir, key)
    examined: dict[str, Examined] = {}
    record: dict[str, list[object]] = {}
    for name, path in files.items():
        content = seen[str(path)][2] if str(path) in seen else ""
        row = known.get(name)
        if content and row and row[0] == content:
            file = Examined(*row[1:])
        else:
            file = examine(name, path, rules, private_paths)
        examined[name] = file
        if content and not file.findings:
            record[name] = [content, *((True, file.needed, file.runpath) if file.is_elf else ())]
    _EXAMINED.write(build_dir, {"key": key, "files": record})
    return judge(examined, rules)


def _read(build_dir: Path, key: str) -> Mapping[str, Sequence[Any]]:
    record = _EXAMINED.read(build_dir) or {}
    files: Mapping[str, Sequence[Any]] = record["files"] if record.get("key") == key else {}
    return files


def _key(rules: Packaging, private_paths: Sequence[Path]) -> str:
    """Digest the rules and the code that applies them."""
    code = [digest_file(str(Path(__file__).with_name(name))) for name in _CODE]
    return digest_text(repr(rules), *map(str, private_paths), *code)
