"""Files that a killed build was still writing: under the build directory, and beside the staged files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .atomic import is_temporary


def remove_leftovers(
    root: Path, present: Iterable[os.DirEntry[str]], staged: Iterable[str]
) -> None:
    """For who holds the lock; `present` are the files of the build directory."""
    for entry in present:
        if is_temporary(entry.name):
            os.unlink(entry.path)
    for folder in {os.path.dirname(f"{root}/{path}") for path in staged}:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if is_temporary(name):
                os.unlink(f"{folder}/{name}")
