"""Allow one build at a time in a build directory, and record which process it is.

Every process that a build starts inherits the lock's descriptor. So a killed build keeps the lock until
its last compiler has ended; otherwise that compiler could overwrite an output of the next build.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from types import TracebackType

NAME = "build.lock"


class BuildLock:
    """Advisory lock that the kernel releases when its last holder ends."""

    def __init__(self, build_dir: str, command: str, *, wait: bool = False) -> None:
        """With `wait`, a lock that another build holds is waited for."""
        self._wait = wait
        self._path = os.path.join(build_dir, NAME)
        self._command = command
        self._file = -1

    def __enter__(self) -> BuildLock:
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if not try_lock(self._file):
                from .orphans import take_over, wait_for

                if self._wait:
                    wait_for(self._file, self._path, try_lock)
                else:
                    take_over(self._file, self._path, try_lock)
            os.ftruncate(self._file, 0)
            self._write_name()
        except BaseException:
            os.close(self._file)
            raise
        os.set_inheritable(self._file, True)
        return self

    def _write_name(self) -> None:
        """Name this process in the file, unless the disk is full: `clean` must work then."""
        try:
            os.pwrite(self._file, f"process {os.getpid()} ({self._command})\n".encode(), 0)
        except OSError as error:
            import errno

            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the lock.

        After an interrupt the process's name stays in the file, so that the next build recognises the
        processes still running as this build's.
        """
        import fcntl

        if kind is None or issubclass(kind, Exception):
            os.ftruncate(self._file, 0)
            fcntl.flock(self._file, fcntl.LOCK_UN)
        os.close(self._file)


def command_line() -> str:
    """Return how this process was called, to be shown to whoever finds the lock held."""
    return " ".join(["setup.py", *sys.argv[1:]])


def try_lock(file: int) -> bool:
    """Take the lock without waiting. Return whether it was free."""
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
