"""Generating code and running CMake at the same time.

CMake called by hand, or by Ninja, asks Python for the options and for the generated code. Started by the
front end it finds the options resolved, and waits in cmake/Codegen.cmake for the generation that goes on
beside it: at a lock that the kernel drops when this process dies. Whether there is code then says a second
file; as long as it lies there, CMake asks after all. The lock's own file stays: CMake opens it before it
locks it.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

LOCK = "generation.lock"
PENDING = "generation.pending"
VARIABLE = "BUILD_FRONT_END_CONFIGURES"


class Handover:
    """Held from before CMake starts until the code is there."""

    def __init__(self, build_dir: Path) -> None:
        self._pending = build_dir / PENDING
        self._file = os.open(build_dir / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.lockf(self._file, fcntl.LOCK_EX)  # of the kind that CMake's file(LOCK) takes
        self._pending.touch()

    def generated(self) -> None:
        """CMake may read the source lists."""
        self._pending.unlink()
        self.close()

    def close(self) -> None:
        """Lets CMake go on, if it still runs; may be called again."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
