"""Turns between processes: many at a time, or one alone; and files that one of them makes for all."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class Turns:
    """A lock that any number of processes share until one asks to be alone.

    Locks of flock() end with their process, so a worker that crashes leaves none behind. They make no
    promise about order: processes that share the floor could keep one that waits to be alone from it
    for ever. So everybody passes a gate first, and whoever waits for the floor holds the gate.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._gate = (folder / "gate").open("a")
        self._floor = (folder / "floor").open("a")

    @contextmanager
    def taken(self, *, alone: bool) -> Iterator[None]:
        """The floor, with the others who share it or without anybody else."""
        fcntl.flock(self._gate, fcntl.LOCK_EX)
        fcntl.flock(self._floor, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(self._gate, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(self._floor, fcntl.LOCK_UN)

    def once(self, name: str, make: Callable[[Path], object]) -> Path:
        """A file of this name, which the first process to ask for it makes."""
        path = self.folder / name
        with path.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                part = path.with_suffix(".part")
                make(part)
                part.rename(path)
        return path

    def close(self) -> None:
        self._gate.close()
        self._floor.close()
