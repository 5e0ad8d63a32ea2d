"""The complete output of the tools that a build ran, and its last failure, in build/logs/."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from tools.base.errors import BuildError
from tools.base.store import Record, build_file

BUILD = build_file("logs/build.log")
CONFIGURE = build_file("logs/configure.log")
_FAILURE: Record[dict[str, Any]] = Record("logs/failure.json")


class Log:
    """A log file that is written line by line, so that a killed build leaves everything up to that point.

    Errors while writing (disk full, read-only) are ignored, so that they do not hide the build's own error.
    """

    def __init__(self, build_dir: Path, name: str) -> None:
        self.path = build_dir / name
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


def facts_of(error: BuildError) -> dict[str, Any]:
    """Return the facts of a failure for report.json; a tool's failure adds command and diagnostics."""
    facts = {"message": error.message, "cause": error.cause, "hint": error.hint, "log": error.log}
    return {**facts, **error.facts()}


def remember(build_dir: Path, facts: dict[str, Any], command: str) -> None:
    """Record the failure until the next one; errors while writing are ignored."""
    with suppress(OSError):
        _FAILURE.write(build_dir, {"time": time.time(), "setup": command, **facts})


def recall(build_dir: Path) -> dict[str, Any] | None:
    """Return the last recorded failure, or None."""
    return _FAILURE.read(build_dir)
