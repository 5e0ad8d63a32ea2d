"""The complete output of the tools that a build ran, in build/logs/."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TextIO

FOLDER = "logs"
BUILD = "build.log"
CONFIGURE = "configure.log"


class Log:
    """A log file that is written line by line, so that a killed build leaves everything up to that point.

    Errors while writing (disk full, read-only) are ignored, so that they do not hide the build's own error.
    """

    def __init__(self, build_dir: Path, name: str) -> None:
        self.path = build_dir / FOLDER / name
        self._file: TextIO | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("w", buffering=1, encoding="utf-8", errors="replace")
        except OSError:
            pass

    def line(self, text: str) -> None:
        if self._file:
            try:
                self._file.write(f"{text}\n")
            except OSError:
                self.close()

    def close(self) -> None:
        file, self._file = self._file, None
        if file:
            with suppress(OSError):
                file.close()

    def shown(self, root: Path) -> str:
        """Return the path relative to the checkout if possible; empty when no log was written."""
        if not self.path.exists():
            return ""
        inside = self.path.is_relative_to(root)
        return str(self.path.relative_to(root)) if inside else str(self.path)
