"""When the clock was set back: Ninja compares times, and would take what was edited since for old."""

from __future__ import annotations

import os
import time
from pathlib import Path

from .reporting.ninja_log import NAME as NINJA_LOG
from .reporting.ninja_log import read_entries

# File systems and the clock may disagree by this much.
_SLACK_NS = 2_000_000_000


def mend_times(build_dir: Path) -> bool:
    """If products carry times to come, makes them old enough to be made again; whether there were any."""
    now = time.time_ns()
    newest = max((entry.mtime for entry in read_entries(build_dir)), default=0)
    if newest <= now + _SLACK_NS:
        return False
    (build_dir / NINJA_LOG).unlink()
    for folder, _, names in os.walk(build_dir):
        for name in names:
            path = os.path.join(folder, name)
            if os.lstat(path).st_mtime_ns > now:
                os.utime(path, ns=(now, now), follow_symlinks=False)
    return True
