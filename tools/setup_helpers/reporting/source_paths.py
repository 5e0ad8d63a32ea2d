"""Paths as a person in the source tree writes them."""

from __future__ import annotations

import os
from pathlib import Path


def from_root(path: str, root: Path, build_dir: Path) -> str:
    """A path that a tool gave, relative to the build directory or whole, as seen from the root.

    Outside the root it stays whole.
    """
    whole = os.path.normpath(build_dir / path)
    inside = os.path.relpath(whole, root)
    return whole if inside.startswith("..") else inside
