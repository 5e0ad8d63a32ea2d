"""Sources whose times would mislead Ninja: it knows times only, and no content.

A restored backup is another text with an older time than what was built from it. A time to come, left
by a clock that was set back since, is newer than anything that a build can make.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .ninja_log import NAME as NINJA_LOG
from .sealed import read_sealed, write_sealed

if TYPE_CHECKING:
    from .fingerprint import Entry

NAME = "sources.json"


def date_for_ninja(sources: Mapping[str, Entry], build_dir: Path) -> None:
    """Gives the present time to sources that changed and do not look it, and to those of the future.

    `sources` is how they looked to this build, and what the next call compares with. To be called
    before CMake, which writes into the log whose time says when Ninja ran last.
    """
    known = read_sealed(build_dir / NAME) or {}
    seen = dict(sources)
    last_run = _last_run(build_dir)
    now = time.time_ns()
    for path, (size, mtime, digest) in sources.items():
        changed = path in known and known[path][2] != digest
        if size >= 0 and (mtime > now or (changed and mtime <= last_run)):
            os.utime(path, ns=(now, now))
            seen[path] = [size, now, digest]
    write_sealed(build_dir / NAME, seen)


def _last_run(build_dir: Path) -> int:
    try:
        return (build_dir / NINJA_LOG).stat().st_mtime_ns
    except OSError:
        return 0
