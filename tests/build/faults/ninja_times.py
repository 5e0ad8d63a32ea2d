"""Change the times in Ninja's records to those that a build under another clock would have written."""

from __future__ import annotations

import struct
from pathlib import Path

_HEADER = b"# ninjadeps\n"
_IS_DEPENDENCIES = 1 << 31


def shift_recorded_times(build_dir: Path, seconds: int) -> None:
    """Shift times in the log (text: start, end, time, output, hash) and the dependencies (binary records)."""
    difference = seconds * 10**9
    log = build_dir / ".ninja_log"
    rows = [row.split("\t") for row in log.read_text().splitlines()]
    shifted = [
        [start, end, str(int(rest[0]) + difference), *rest[1:]] for start, end, *rest in rows[1:]
    ]
    log.write_text("".join("\t".join(row) + "\n" for row in [rows[0], *shifted]))
    _shift_dependencies(build_dir / ".ninja_deps", difference)


def _shift_dependencies(path: Path, difference: int) -> None:
    """Shift times in records of: size, with a flag for dependencies, output number, time, input numbers."""
    data = bytearray(path.read_bytes())
    assert data.startswith(_HEADER)
    place = len(_HEADER) + 4  # the version
    while place < len(data):
        (size,) = struct.unpack_from("<I", data, place)
        if size & _IS_DEPENDENCIES:
            (time,) = struct.unpack_from("<Q", data, place + 8)
            struct.pack_into("<Q", data, place + 8, time + difference)
        place += 4 + (size & ~_IS_DEPENDENCIES)
    path.write_bytes(data)
