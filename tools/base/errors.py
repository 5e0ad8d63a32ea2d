"""The error that a user sees: what happened, why, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BUILD_FAILED = 1
USAGE = 2
ENVIRONMENT = 3
INTERRUPTED = 130


@dataclass
class BuildError(Exception):
    """An error that the user can act on.

    `exit_code` is one of this module's constants. `log` is the path of the failed program's full output.
    """

    message: str
    cause: str = ""
    hint: str = ""
    exit_code: int = BUILD_FAILED
    log: str = ""

    def facts(self) -> dict[str, Any]:
        """Return what this kind of error adds to report.json."""
        return {}

    def __str__(self) -> str:
        return self.message

    def render(self) -> str:
        """Return the text to print: the message, the indented cause, the hint, and the log last."""
        lines = [f"error: {self.message}"]
        if self.cause:
            lines += [f"  {line}".rstrip() for line in self.cause.splitlines()]
        if self.hint:
            lines += [f"hint: {self.hint}"]
        if self.log:
            lines += [f"log: {self.log}"]
        return "\n".join(lines)


def usage_error(message: str, *, cause: str = "", hint: str = "") -> BuildError:
    """Return an error for a mistake in the command, an option, or the configuration (exit code 2)."""
    return BuildError(message, cause, hint, USAGE)


def environment_error(message: str, *, cause: str = "", hint: str = "") -> BuildError:
    """Return an error for something that the build needs and the machine lacks (exit code 3)."""
    return BuildError(message, cause, hint, ENVIRONMENT)
