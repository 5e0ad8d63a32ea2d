"""Errors that a user can cause or fix: message, cause, hint and exit code; and suggestions for misspelt names."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
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


def file_error(error: OSError) -> BuildError:
    """Return the error for a file or folder that cannot be read or written."""
    if found := _wrong_kind(error):
        return found
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    # The second file of a copy is the one that was written.
    path = (full and error.filename2) or error.filename
    what = f"{error.strerror or error}" + (f": {path}" if path else "")
    hint = "free some space: python setup.py clean deletes what builds made, df -h shows each disk"
    if error.errno == errno.EFBIG:
        hint = "raise the limit of this shell: ulimit -f unlimited"
    elif not full:
        hint = "run `python setup.py doctor` to find the cause and a fix"
    return environment_error(what, hint=hint)


def _wrong_kind(error: OSError) -> BuildError | None:
    """Return the error for a file where a folder is needed, or the reverse; None for any other error."""
    # The second path is where a temporary file was to be moved.
    path = os.fsdecode(error.filename2 or error.filename or "")
    if not path or error.errno not in (errno.EISDIR, errno.EEXIST, errno.ENOTDIR):
        return None
    while not os.path.lexists(path):  # then one of the folders that it is in is none
        path = os.path.dirname(path)
    kind = "folder" if os.path.isdir(path) else "link to nothing"
    if os.path.exists(path) and kind != "folder":
        kind = "file"
    needed = "file" if kind == "folder" else "folder"
    return environment_error(
        f"{path} is a {kind}, but a {needed} is needed there",
        hint=f"move or delete the {kind.partition(' ')[0]}, and run the command again",
    )


def edit_distance(a: str, b: str, limit: int) -> int:
    """Count insertions, deletions, substitutions and swaps of neighbours; `limit + 1` if above `limit`."""
    # Cheap bounds first: an edit changes the length by one at most, and the set of letters by two.
    if abs(len(a) - len(b)) > limit or len(set(a) ^ set(b)) > 2 * limit:
        return limit + 1
    older: list[int] = []
    old = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            cost = min(old[j] + 1, new[j - 1] + 1, old[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, older[j - 2] + 1)
            new.append(cost)
        if min(new) > limit:
            return limit + 1
        older, old = old, new
    return min(old[-1], limit + 1)


def nearest(name: str, known: Iterable[str], limit: int | None = None) -> str | None:
    """Return the known name closest to `name`, ignoring case; None when none is close.

    Names of up to 3 letters must match exactly, of up to 7 may differ by one edit, and longer ones by
    two: `CC` must not suggest `CXX`. An explicit `limit` is capped at half the length of the name.
    """
    own = 0 if len(name) < 4 else 1 if len(name) < 8 else 2
    allowed = own if limit is None else min(limit, len(name) // 2)
    best: tuple[int, str] | None = None
    folded = name.casefold()
    for candidate in known:
        distance = edit_distance(folded, candidate.casefold(), allowed)
        if distance <= allowed and (best is None or (distance, candidate) < best):
            best = (distance, candidate)
    return best[1] if best else None


def did_you_mean(name: str, known: Iterable[str], limit: int | None = None) -> str:
    """Return `; did you mean 'X'?`, or an empty text."""
    match = nearest(name, known, limit)
    return f"; did you mean {match!r}?" if match else ""
