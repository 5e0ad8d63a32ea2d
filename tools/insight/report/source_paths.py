"""Convert paths to the form that a user in the source tree would write."""

from __future__ import annotations

import os
from pathlib import Path


def from_root(path: str, root: Path, build_dir: Path) -> str:
    """Return a tool's path (absolute, or relative to the build directory) relative to the root.

    A path outside the root is returned as an absolute path.
    """
    whole = os.path.normpath(build_dir / path)
    inside = os.path.relpath(whole, root)
    return whole if inside.startswith("..") else inside
