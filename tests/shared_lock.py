"""Locks between test processes, shared or exclusive, and files that one of them makes for all."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class SharedLock:
    """A lock that any number of processes share until one asks to be alone.

    flock() releases a lock when its process ends, so a crashed worker leaves none behind. It does not
    guarantee any order, so processes that share the lock could starve one that waits to be alone.
    Therefore every process first takes a gate, and keeps it while it waits for the lock.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._gate = (folder / "gate").open("a")
        self._lock = (folder / "lock").open("a")

    @contextmanager
    def hold(self, *, alone: bool) -> Iterator[None]:
        """Hold the lock, shared or exclusively."""
        fcntl.flock(self._gate, fcntl.LOCK_EX)
        fcntl.flock(self._lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(self._gate, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)

    def once(self, name: str, make: Callable[[Path], object]) -> Path:
        """Return the file of this name, which the first process that needs it makes."""
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
        self._lock.close()
