"""Edits that Ninja would not see: a source that another one with an older time took the place of.

Restoring a backup, moving a file over another and a clock that was set back all do that. Ninja knows
times only; here the sources are compared by content with what it saw last.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .fingerprint import snapshot
from .reporting.ninja_log import NAME as NINJA_LOG
from .sealed import read_sealed, write_sealed

NAME = "sources.json"


def show_to_ninja(paths: Iterable[Path], build_dir: Path) -> list[str]:
    """Gives the present time to sources that changed and do not look it; call it just before Ninja runs."""
    known = read_sealed(build_dir / NAME) or {}
    seen = snapshot([str(path) for path in paths], known)
    try:
        last_run = (build_dir / NINJA_LOG).stat().st_mtime_ns
    except OSError:
        last_run = 0
    hidden = [
        path
        for path, (size, mtime, digest) in seen.items()
        if size >= 0 and mtime <= last_run and path in known and known[path][2] != digest
    ]
    for path in hidden:
        os.utime(path)
        seen[path][1] = os.stat(path).st_mtime_ns
    write_sealed(build_dir / NAME, seen)
    return hidden
