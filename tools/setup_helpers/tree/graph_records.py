"""Whether CMake's and Ninja's files are as the last build left them.

Both programs believe what they read: a configuration that was damaged, or changed by hand, builds
something else than the options say, and a damaged dependency misses an edit.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path

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
# Ninja appends to these, and knows a torn end; when it writes them anew, they shrink. How each begins.
_GROWING = {".ninja_log": b"# ninja log v", ".ninja_deps": b"# ninjadeps\n"}
_CACHE_LINE = re.compile(r'((#|//).*|("[^"]+"|[^:=]+):[A-Z]+=[^\x00-\x08\x0b-\x1f]*)?')


def remember(build_dir: Path) -> None:
    """For whoever has just run Ninja, well or not."""
    names = (*_CONFIGURATION, *_compiler_descriptions(build_dir), *_GROWING)
    write_sealed(build_dir / NAME, {name: _checksum(build_dir / name) for name in names})


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
        size, checksum = known.get(name, (0, 0))
        now = _checksum(path, size)
        foreign = path.exists() and not path.read_bytes().startswith(head)
        if foreign or (now[0] == size and now[1] != checksum):
            path.unlink()
            damaged.append(name)
    return damaged


def _checksum(path: Path, size: int = -1) -> list[int]:
    """Bytes and checksum of the file, or of its beginning."""
    try:
        with path.open("rb") as file:
            data = file.read(size)
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
