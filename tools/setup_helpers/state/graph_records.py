"""Detect damage to CMake's and Ninja's files since the last build, and restore Ninja's logs.

Both programs trust what they read. A configuration that was damaged or edited by hand builds
something other than the options say, and a damaged dependency log misses an edit. Without its logs,
Ninja rebuilds everything. So each build records checksums of these files and copies the logs:

- A configuration that CMake made after the last build, started by Ninja or by hand, is accepted. CMake
  has Ninja log the time of build.ninja, so an edit by hand shows as another time.
- A log that was lost or damaged is restored from its copy, without the outputs built since.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.base.atomic import write_atomically, write_if_changed
from tools.base.cmake_text import CACHE as CMAKE_CACHE
from tools.base.ninja_deps import NAME as NINJA_DEPS
from tools.base.ninja_log import NAME as NINJA_LOG
from tools.base.ninja_log import read_entries
from tools.base.ninja_manifest import NAME as NINJA_GRAPH
from tools.base.store import Record, build_file

_CHECKSUMS: Record[dict[str, Any]] = Record("graph_records.json")
# The results of a configuration, which Ninja and the next build read.
_CONFIGURATION = (
    CMAKE_CACHE,
    "CMakeFiles/VerifyGlobs.cmake",
    "CMakeFiles/rules.ninja",
    NINJA_GRAPH,
    "compiler_cache.txt",
    "options.cmake",
    "options.json",
    "package_plan.json",
)
# Ninja appends to these files and copes with a torn end. When it compacts one, it writes a new file and
# renames it, which makes it another file; CMake has Ninja do so after a configuration. Values: first bytes.
_GROWING = {NINJA_LOG: b"# ninja log v", NINJA_DEPS: b"# ninjadeps\n"}
COPIES = {name: build_file(f"{name}.last") for name in _GROWING}
_GET_GENERATION = 0x80087601  # FS_IOC_GETVERSION of Linux
_LOG_LINE = re.compile(rb"\d+\t\d+\t\d+\t[^\t\x00-\x1f]+\t[0-9a-f]+")
_CACHE_LINE = re.compile(r'((#|//).*|("[^"]+"|[^:=]+):[A-Z]+=[^\x00-\x08\x0b-\x1f]*)?')
# CMake's check of its globs, which every run of Ninja logs.
_EVERY_RUN = b"/cmake.verify_globs"


def remember(build_dir: Path) -> None:
    """Record the files. Call this after CMake succeeded and after Ninja ended, successfully or not."""
    names = (*_CONFIGURATION, *_compiler_descriptions(build_dir))
    record: dict[str, Any] = {name: _checksum(build_dir / name) for name in names}
    known = _known(build_dir)
    made_nothing = not ninja_ran_since(build_dir)
    for name, copy in COPIES.items():
        path = build_dir / name
        record[name] = [*_checksum(path), _identity(path)]
        record[copy] = known.get(copy)
        if path.exists() and not (made_nothing and record[copy]):
            write_if_changed(build_dir / copy, path.read_bytes())
            record[copy] = record[name][:2]
    record["outputs"] = {e.output: _time(build_dir / e.output) for e in read_entries(build_dir)}
    record["configured"] = _logged_configuration(build_dir)
    _CHECKSUMS.write(build_dir, record)


def configured_since(build_dir: Path) -> int:
    """Return when CMake ran, if that was after the last build and build.ninja was not edited; else 0."""
    logged = _logged_configuration(build_dir)
    is_new = logged != _known(build_dir).get("configured", logged)
    return logged if is_new and logged == _time(build_dir / NINJA_GRAPH) else 0


def changed_configuration(build_dir: Path) -> str:
    """Return the first file of the configuration that was damaged or edited by hand, or ""."""
    known = _known(build_dir)
    by_cmake = _time(build_dir / NINJA_LOG) if configured_since(build_dir) else 0
    for name in _CONFIGURATION:
        path = build_dir / name
        same = name in known and _checksum(path) == known[name]
        if not same and not 0 < _time(path) <= by_cmake:
            return name
    return ""


def ninja_ran_since(build_dir: Path) -> bool:
    """Whether Ninja may have built anything since the last build of the front end."""
    size, checksum = _known(build_dir).get(NINJA_LOG, [-1, 0])[:2]
    try:
        data = (build_dir / NINJA_LOG).read_bytes()
    except FileNotFoundError:
        return True
    if len(data) < size or zlib.crc32(data[:size]) != checksum:
        return True
    later = data[size:].splitlines()
    return not all(line.rpartition(b"\t")[0].endswith(_EVERY_RUN) for line in later)


def restore_logs(build_dir: Path) -> Iterator[str]:
    """Replace lost and damaged logs; yield for each what was wrong and what was done."""
    known = _known(build_dir)
    for name, head in _GROWING.items():
        path = build_dir / name
        if path.exists():
            if not _is_damaged(path, head, known.get(name, (0, 0))):
                continue
            path.unlink()
            state = "damaged"
        elif known.get(name, [-1])[0] >= 0:
            state = "lost"
        else:
            continue
        if _restore(build_dir, name, known):
            yield f"{name} was {state}; restored from the copy made by the last build"
        else:
            yield f"{name} was {state}, and there is no copy; the outputs it listed are rebuilt"


def _restore(build_dir: Path, name: str, known: dict[str, Any]) -> bool:
    """Restore one log from its copy, if the copy is intact.

    Outputs built since are left out of .ninja_log. In .ninja_deps, Ninja itself recognises them.
    """
    copy = build_dir / COPIES[name]
    if _checksum(copy) != known.get(copy.name):
        return False
    data = copy.read_bytes()
    if name == NINJA_LOG:
        times = known.get("outputs", {})
        data = b"".join(
            line
            for line in data.splitlines(keepends=True)
            if line.startswith(b"#") or _is_as_logged(line, build_dir, times)
        )
    write_atomically(build_dir / name, data)
    return True


def _is_as_logged(line: bytes, build_dir: Path, times: dict[str, int]) -> bool:
    output = line.split(b"\t")[3].decode(errors="replace") if line.count(b"\t") == 4 else ""
    return bool(output) and times.get(output, 0) == _time(build_dir / output) != 0


def _is_damaged(path: Path, head: bytes, known: Sequence[int]) -> bool:
    """Whether the log's header, size, checksum or identity contradicts the last record of it."""
    data = path.read_bytes()
    if not data.startswith(head):
        return True
    size, checksum, identity = (*known, 0)[:3]  # an older record has none
    if len(data) < size or zlib.crc32(data[:size]) == checksum:
        return False
    if _identity(path) == identity:
        return True
    lines = data.split(b"\n")[1:-1] if path.name == NINJA_LOG else []
    return not all(map(_LOG_LINE.fullmatch, lines))


def _known(build_dir: Path) -> dict[str, Any]:
    return _CHECKSUMS.read(build_dir) or {}


def _logged_configuration(build_dir: Path) -> int:
    """Return the time that Ninja's log gives for build.ninja, or 0."""
    entries = (entry for entry in read_entries(build_dir) if entry.output == NINJA_GRAPH)
    return next((entry.mtime for entry in entries), 0)


def _identity(path: Path) -> int:
    """Return a number that no earlier file of this name had; 0 for an absent file.

    A file system may use an inode again, and counts its generations if it does.
    """
    try:
        with path.open("rb") as file:
            inode = os.fstat(file.fileno()).st_ino
            generation = bytearray(8)
            with contextlib.suppress(OSError):  # a file system that does not count them
                fcntl.ioctl(file.fileno(), _GET_GENERATION, generation)
    except FileNotFoundError:
        return 0
    return inode << 32 | int.from_bytes(generation[:4], sys.byteorder)


def _time(path: Path) -> int:
    """Return the mtime, or 0 for an absent file."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _checksum(path: Path) -> list[int]:
    """Return the size and checksum of a file; [-1, 0] for an absent one."""
    try:
        data = path.read_bytes()
    except OSError:
        return [-1, 0]
    return [len(data), zlib.crc32(data)]


def _compiler_descriptions(build_dir: Path) -> list[str]:
    """Return the files in which CMake keeps what it detected about each compiler."""
    found = build_dir.glob("CMakeFiles/[0-9]*/CMake*.cmake")
    return [str(path.relative_to(build_dir)) for path in found]


def drop_damaged_configuration(build_dir: Path) -> None:
    """Make CMake configure from scratch if its own records are unreadable or altered."""
    known = _known(build_dir)
    descriptions = _compiler_descriptions(build_dir)
    wrong = [n for n in descriptions if n in known and known[n] != _checksum(build_dir / n)]
    if wrong or not _cache_is_readable(build_dir):
        forget_configuration(build_dir)


def forget_configuration(build_dir: Path) -> None:
    """Delete CMake's records. Objects stay: Ninja knows which of them are still valid."""
    for name in (CMAKE_CACHE, *_compiler_descriptions(build_dir)):
        (build_dir / name).unlink(missing_ok=True)


def _cache_is_readable(build_dir: Path) -> bool:
    """Whether CMakeCache.txt can be parsed; true if there is none."""
    try:
        text = (build_dir / CMAKE_CACHE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return True
    except ValueError:
        return False
    lines = text.removesuffix("\n").split("\n")
    return all(map(_CACHE_LINE.fullmatch, lines))
