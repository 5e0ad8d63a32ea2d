"""Delete what a killed build left: unfinished files and the link to the sources."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tools.base.atomic import is_temporary

# The link by which compilers see the sources (cmake/Modules/canonical_command.sh). The first compilation
# creates it. It is removed after each build: the sources usually hold the build directory, so a program
# that copies a tree and follows links would never end.
SOURCES_LINK = ".sources"


def remove_leftovers(
    root: Path, present: Iterable[os.DirEntry[str]], staged: Iterable[str]
) -> None:
    """Delete unfinished files. The caller holds the lock; `present` lists the build directory's files."""
    for entry in present:
        if is_temporary(entry.name) or (entry.name == SOURCES_LINK and entry.is_symlink()):
            os.unlink(entry.path)
    for folder in {os.path.dirname(f"{root}/{path}") for path in staged}:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if is_temporary(name):
                os.unlink(f"{folder}/{name}")


def remove_sources_link(build_dir: Path) -> None:
    """Delete the link to the sources, after Ninja has ended."""
    link = build_dir / SOURCES_LINK
    if link.is_symlink():
        link.unlink()
