"""Generate code while CMake runs.

CMake started by hand or by Ninja runs Python to resolve the options and generate the code. When the front
end starts CMake, the options are resolved already, and cmake/Codegen.cmake waits for the code at a lock
file. The kernel releases the lock when this process ends. If a second file still exists then, the code is
not complete, and CMake generates it itself. The lock file is never deleted, because CMake opens it before
it locks it.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

LOCK = "generation.lock"
PENDING = "generation.pending"
VARIABLE = "BUILD_FRONT_END_CONFIGURES"


class Handover:
    """The lock, held from before CMake starts until the code is generated."""

    def __init__(self, build_dir: Path) -> None:
        self._pending = build_dir / PENDING
        self._file = os.open(build_dir / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.lockf(self._file, fcntl.LOCK_EX)  # the kind of lock that CMake's file(LOCK) takes
        self._pending.touch()

    def generated(self) -> None:
        """Let CMake read the source lists, which are complete."""
        self._pending.unlink()
        self.close()

    def close(self) -> None:
        """Let CMake continue, if it is still running. Later calls have no effect."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
