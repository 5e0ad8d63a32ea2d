"""When the clock was set back: Ninja compares times, and would take what was edited since for old."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from .ninja_log import NAME as NINJA_LOG
from .ninja_log import read_entries

# File systems and the clock may disagree by this much.
_SLACK_NS = 2_000_000_000


def mend_times(build_dir: Path) -> bool:
    """Lets be made again what carries times to come; whether there was anything."""
    now = time.time_ns()
    late = list(_later_than(now + _SLACK_NS, build_dir))
    recorded = max((entry.mtime for entry in read_entries(build_dir)), default=0)
    if not late and recorded <= now + _SLACK_NS:
        return False
    (build_dir / NINJA_LOG).unlink(missing_ok=True)
    for path in late:
        os.utime(path, ns=(now, now), follow_symlinks=False)
    return True


def _later_than(time_ns: int, folder: Path) -> Iterator[str]:
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.lstat(path).st_mtime_ns > time_ns:
                yield path
