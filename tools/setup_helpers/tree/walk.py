"""One look into every folder of a tree, for all who ask about its files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def files_below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Every file and link; links are not followed. Nothing of a folder that is not there."""
    pending = [os.fspath(folder)]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except FileNotFoundError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            else:
                yield entry
