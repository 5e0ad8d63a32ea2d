"""Files that a killed build was still writing: under the build directory, and beside the staged files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .atomic import is_temporary


def remove_leftovers(root: Path, build_dir: Path, staged: Iterable[str]) -> None:
    """For who holds the lock. Links are not followed."""
    for folder, _, names in os.walk(build_dir):
        _remove(folder, names)
    for folder in {os.path.dirname(path) for path in staged}:
        place = root / folder
        if place.is_dir():
            _remove(str(place), os.listdir(place))


def _remove(folder: str, names: Iterable[str]) -> None:
    for name in filter(is_temporary, names):
        os.unlink(os.path.join(folder, name))
