"""Ninja's own log: when each output was last made, and how long that took."""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from .store import build_file

NAME = build_file(".ninja_log")
build_file(".ninja_lock")


class LogEntry(NamedTuple):
    """One output of one command; start and end are milliseconds since that run of Ninja began."""

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
    """Return the last entry of each output, in the log's order, without malformed lines."""
    path = build_dir / NAME
    try:
        info = os.stat(path)
        return list(_parsed(path, info.st_size, info.st_mtime_ns))
    except OSError:
        return []


def log_time(build_dir: Path, outputs: Collection[str], mtime: int) -> None:
    """Append entries that date outputs to `mtime`, with the commands that made them last, if they are older."""
    logged = (entry for entry in read_entries(build_dir) if entry.output in outputs)
    entries = [entry for entry in logged if entry.mtime < mtime]
    lines = "".join(
        f"{e.start_ms}\t{e.end_ms}\t{mtime}\t{e.output}\t{e.command}\n" for e in entries
    )
    if lines:
        with (build_dir / NAME).open("a") as log:
            log.write(lines)


@lru_cache(maxsize=2)
def _parsed(path: Path, size: int, mtime_ns: int) -> tuple[LogEntry, ...]:
    """Parse the log; the cache's key is the state of the file."""
    entries: dict[str, LogEntry] = {}
    for line in path.read_text(errors="replace").splitlines():
        fields = line.split("\t")
        if len(fields) == 5 and all(number.isdecimal() for number in fields[:3]):
            start, end, mtime = map(int, fields[:3])
            entries.pop(fields[3], None)
            entries[fields[3]] = LogEntry(fields[3], start, end, mtime, fields[4])
    return tuple(entries.values())


def last_durations(build_dir: Path) -> dict[str, float]:
    """Return for each output how many seconds it took when it was last made."""
    return {entry.output: entry.seconds for entry in read_entries(build_dir)}


def slowest(entries: list[LogEntry]) -> list[LogEntry]:
    """Return the entries sorted by duration, longest first."""
    return sorted(entries, key=lambda entry: (-entry.seconds, entry.output))
