"""Whether CMake's and Ninja's files are as the last build left them.

Both programs believe what they read: a configuration that was damaged, or changed by hand, builds
something else than the options say, and a damaged dependency misses an edit.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from pathlib import Path

from .ninja_log import NAME as NINJA_LOG
from .sealed import read_sealed, write_sealed

NAME = "graph_records.json"
# What a configuration leaves behind and Ninja reads.
_CONFIGURATION = (
    "CMakeCache.txt",
    "CMakeFiles/rules.ninja",
    "build.ninja",
    "options.cmake",
    "options.json",
    "package_plan.json",
)
# Ninja appends to these, and knows a torn end. It writes them anew under another name, so that they
# become another file; so does CMake, through Ninja, after a configuration. How each begins.
_GROWING = {NINJA_LOG: b"# ninja log v", ".ninja_deps": b"# ninjadeps\n"}
_LOG_LINE = re.compile(rb"\d+\t\d+\t\d+\t[^\t\x00-\x1f]+\t[0-9a-f]+")
_CACHE_LINE = re.compile(r'((#|//).*|("[^"]+"|[^:=]+):[A-Z]+=[^\x00-\x08\x0b-\x1f]*)?')


def remember(build_dir: Path) -> None:
    """For whoever has just run Ninja, well or not."""
    names = (*_CONFIGURATION, *_compiler_descriptions(build_dir))
    record = {name: _checksum(build_dir / name) for name in names}
    for name in _GROWING:
        path = build_dir / name
        record[name] = [*_checksum(path), _inode(path)]
    write_sealed(build_dir / NAME, record)


def changed_configuration(build_dir: Path) -> str:
    """The first file of the configuration that is not as the last build left it, or ""."""
    known = read_sealed(build_dir / NAME) or {}
    for name in _CONFIGURATION:
        if name not in known or _checksum(build_dir / name) != known[name]:
            return name
    return ""


def drop_damaged_logs(build_dir: Path) -> list[str]:
    """Deletes what Ninja would misread; it builds again what it cannot know to be up to date."""
    known = read_sealed(build_dir / NAME) or {}
    damaged = []
    for name, head in _GROWING.items():
        path = build_dir / name
        if path.exists() and _is_damaged(path, head, known.get(name, (0, 0))):
            path.unlink()
            damaged.append(name)
    return damaged


def _is_damaged(path: Path, head: bytes, known: Sequence[int]) -> bool:
    """By its size, checksum and inode when Ninja had run last."""
    data = path.read_bytes()
    if not data.startswith(head):
        return True
    size, checksum, inode = (*known, 0)[:3]  # an older record has no inode
    if len(data) < size or zlib.crc32(data[:size]) == checksum:
        return False
    if _inode(path) == inode:
        return True
    lines = data.split(b"\n")[1:-1] if path.name == NINJA_LOG else []
    return not all(map(_LOG_LINE.fullmatch, lines))


def _inode(path: Path) -> int:
    return path.stat().st_ino if path.exists() else 0


def _checksum(path: Path) -> list[int]:
    """Bytes and checksum of the file."""
    try:
        data = path.read_bytes()
    except OSError:
        return [-1, 0]
    return [len(data), zlib.crc32(data)]


def _compiler_descriptions(build_dir: Path) -> list[str]:
    """What CMake found out about each compiler, once."""
    found = build_dir.glob("CMakeFiles/[0-9]*/CMake*.cmake")
    return [str(path.relative_to(build_dir)) for path in found]


def drop_damaged_configuration(build_dir: Path) -> None:
    """Lets CMake begin anew when it could not read its own records, or would believe wrong ones."""
    known = read_sealed(build_dir / NAME) or {}
    descriptions = _compiler_descriptions(build_dir)
    wrong = [n for n in descriptions if n in known and known[n] != _checksum(build_dir / n)]
    if wrong or not _cache_is_readable(build_dir):
        forget_configuration(build_dir)


def forget_configuration(build_dir: Path) -> None:
    """Leaves the objects: Ninja knows which of them still fit."""
    for name in ("CMakeCache.txt", *_compiler_descriptions(build_dir)):
        (build_dir / name).unlink(missing_ok=True)


def _cache_is_readable(build_dir: Path) -> bool:
    """True when there is none."""
    try:
        text = (build_dir / "CMakeCache.txt").read_text(encoding="utf-8")
    except FileNotFoundError:
        return True
    except ValueError:
        return False
    lines = text.removesuffix("\n").split("\n")
    return all(map(_CACHE_LINE.fullmatch, lines))
