"""Recover after the clock was set back.

Ninja compares times only. It would take a source that was edited after the change for older than
its outputs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from tools.base.ninja_log import NAME as NINJA_LOG
from tools.base.ninja_log import read_entries

# File systems and the clock may disagree by this much.
_SLACK_NS = 2_000_000_000


def reset_future_times(build_dir: Path, present: Iterable[os.DirEntry[str]]) -> bool:
    """Have outputs dated in the future rebuilt. Return whether there were any.

    `present` lists the files of the build directory.
    """
    now = time.time_ns()
    late = [e.path for e in present if _mtime(e) > now + _SLACK_NS]
    recorded = max((entry.mtime for entry in read_entries(build_dir)), default=0)
    if not late and recorded <= now + _SLACK_NS:
        return False
    (build_dir / NINJA_LOG).unlink(missing_ok=True)
    for path in late:
        os.utime(path, ns=(now, now), follow_symlinks=False)
    return True


def _mtime(entry: os.DirEntry[str]) -> int:
    return entry.stat(follow_symlinks=False).st_mtime_ns
