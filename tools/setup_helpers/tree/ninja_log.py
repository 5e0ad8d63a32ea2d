"""What Ninja's own log says: when each output was made last, and how long it took."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

NAME = ".ninja_log"


class LogEntry(NamedTuple):
    """One output of one command; times are milliseconds since that run of Ninja began."""

    output: str
    start_ms: int
    end_ms: int
    mtime: int
    command: str
    """Ninja's hash of the command line."""

    @property
    def seconds(self) -> float:
        return (self.end_ms - self.start_ms) / 1000


def read_entries(build_dir: Path) -> list[LogEntry]:
    """Every output's last entry, in the log's order; lines that are torn or foreign are left out."""
    path = build_dir / NAME
    try:
        info = os.stat(path)
        return list(_parsed(path, info.st_size, info.st_mtime_ns))
    except OSError:
        return []


@lru_cache(maxsize=2)
def _parsed(path: Path, size: int, mtime_ns: int) -> tuple[LogEntry, ...]:
    """Once for each state of the file."""
    entries: dict[str, LogEntry] = {}
    for line in path.read_text(errors="replace").splitlines():
        fields = line.split("\t")
        if len(fields) == 5 and all(number.isdecimal() for number in fields[:3]):
            start, end, mtime = map(int, fields[:3])
            entries.pop(fields[3], None)
            entries[fields[3]] = LogEntry(fields[3], start, end, mtime, fields[4])
    return tuple(entries.values())


def last_durations(build_dir: Path) -> dict[str, float]:
    """Output -> seconds that it took when it was made last."""
    return {entry.output: entry.seconds for entry in read_entries(build_dir)}


def slowest(entries: list[LogEntry]) -> list[LogEntry]:
    """The same, those that took longest first."""
    return sorted(entries, key=lambda entry: (-entry.seconds, entry.output))
