"""One build at a time in a build directory, and a name for who holds it."""

from __future__ import annotations

import os
import sys
from types import TracebackType

NAME = "build.lock"


class BuildLock:
    """Advisory lock that the kernel drops when its holder dies."""

    def __init__(self, build_dir: str, command: str) -> None:
        self._path = os.path.join(build_dir, NAME)
        self._command = command
        self._file = -1

    def __enter__(self) -> BuildLock:
        import fcntl

        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._file, 4096).decode("utf-8", "replace").strip()
            os.close(self._file)
            self._file = -1
            raise _held(self._path, holder) from error
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"process {os.getpid()} ({self._command})\n".encode(), 0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1


def _held(path: str, holder: str) -> Exception:
    from .errors import environment_error

    return environment_error(
        f"another build holds {os.path.dirname(path)}",
        cause=f"held by {holder or 'an unknown process'}",
        hint="wait for it, or build elsewhere with BUILD_DIR=...",
    )


def command_line() -> str:
    """How this process was called, for the lock's next visitor."""
    return " ".join(["setup.py", *sys.argv[1:]])
