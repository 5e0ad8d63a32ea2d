"""Generating code and running CMake at the same time.

CMake called by hand, or by Ninja, asks Python for the options and for the generated code. Started by the
front end it finds the options resolved, and waits in cmake/Codegen.cmake for the generation that goes on
beside it: at a lock that the kernel drops when this process dies. The file goes when there is code; as
long as it lies there, CMake asks after all.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

NAME = "generation.lock"
VARIABLE = "BUILD_FRONT_END_CONFIGURES"


class Handover:
    """Held from before CMake starts until the code is there."""

    def __init__(self, build_dir: Path) -> None:
        self._path = build_dir / NAME
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.lockf(self._file, fcntl.LOCK_EX)  # of the kind that CMake's file(LOCK) takes

    def generated(self) -> None:
        """CMake may read the source lists."""
        self._path.unlink()
        self.close()

    def close(self) -> None:
        """Lets CMake go on, if it still runs; may be called again."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
