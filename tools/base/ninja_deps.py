"""Ninja's log of dependencies: which files each output's compiler read."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from .store import build_file

NAME = build_file(".ninja_deps")
_HEADER = b"# ninjadeps\n"
_VERSIONS = (3, 4)
_IS_DEPENDENCIES = 1 << 31
_WORD = 4
# Of a path: its checksum. Of dependencies: the number of the output and the time, in one or two words.
_CHECKSUM = _WORD
_TIME_WORDS = {3: 1, 4: 2}


def read_paths(build_dir: Path) -> list[str]:
    """Return all paths of the log, as Ninja spells them; none if there is no log that can be read."""
    return [path for path, _ in _records(build_dir) if path]


def read_dependencies(build_dir: Path) -> dict[str, list[str]]:
    """Return the dependencies of each output."""
    paths: list[str] = []
    found: dict[str, list[str]] = {}
    for path, numbers in _records(build_dir):
        if path:
            paths.append(path)
        elif all(number < len(paths) for number in numbers):
            output, *inputs = (paths[number] for number in numbers)
            found[output] = inputs
    return found


def _records(build_dir: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each path, and for each output its number and those of its dependencies, up to a torn end.

    A record is its size, with a flag for dependencies, and that many bytes.
    """
    try:
        data = (build_dir / NAME).read_bytes()
    except OSError:
        return
    place = len(_HEADER) + _WORD
    if not data.startswith(_HEADER) or len(data) < place:
        return
    (version,) = struct.unpack_from("<I", data, len(_HEADER))
    if version not in _VERSIONS:
        return
    while place + _WORD <= len(data):
        (head,) = struct.unpack_from("<I", data, place)
        size = head & ~_IS_DEPENDENCIES
        begin, place = place + _WORD, place + _WORD + size
        if place > len(data) or size % _WORD:
            return
        if head & _IS_DEPENDENCIES:
            output, *rest = struct.unpack_from(f"<{size // _WORD}I", data, begin)
            yield "", (output, *rest[_TIME_WORDS[version] :])
        else:
            path = data[begin : place - _CHECKSUM].rstrip(b"\0")
            yield path.decode("utf-8", "surrogateescape"), ()
