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
    _, data, records = _read(build_dir)
    return [_path(data, begin, end) for begin, end, is_path in records if is_path]


def read_dependencies(build_dir: Path) -> dict[str, list[str]]:
    """Return the dependencies of each output."""
    paths: list[str] = []
    found: dict[str, list[str]] = {}
    version, data, records = _read(build_dir)
    for begin, end, is_path in records:
        if is_path:
            paths.append(_path(data, begin, end))
            continue
        output, *rest = struct.unpack_from(f"<{(end - begin) // _WORD}I", data, begin)
        numbers = (output, *rest[_TIME_WORDS[version] :])
        if all(number < len(paths) for number in numbers):
            found[paths[output]] = [paths[number] for number in numbers[1:]]
    return found


def _path(data: bytes, begin: int, end: int) -> str:
    return data[begin : end - _CHECKSUM].rstrip(b"\0").decode("utf-8", "surrogateescape")


def _read(build_dir: Path) -> tuple[int, bytes, Iterator[tuple[int, int, bool]]]:
    """Return the version of the log, its bytes, and where its records are."""
    try:
        data = (build_dir / NAME).read_bytes()
    except OSError:
        data = b""
    place = len(_HEADER) + _WORD
    if not data.startswith(_HEADER) or len(data) < place:
        return 0, data, iter(())
    (version,) = struct.unpack_from("<I", data, len(_HEADER))
    return version, data, _records(data, place) if version in _VERSIONS else iter(())


def _records(data: bytes, place: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the begin and end of each record, and whether it is a path, up to a torn end.

    A record is its size, with a flag for dependencies, and that many bytes.
    """
    head = struct.Struct("<I").unpack_from
    while place + _WORD <= len(data):
        (size,) = head(data, place)
        begin = place + _WORD
        place = begin + (size & ~_IS_DEPENDENCIES)
        if place > len(data) or size % _WORD:
            return
        yield begin, place, not size & _IS_DEPENDENCIES
