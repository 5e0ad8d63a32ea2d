"""Correct times that would mislead Ninja, which compares times and not content.

- After the clock was set back, outputs dated in the future are rebuilt.
- A file restored from a backup has new content and an old time, older than the outputs. It is
  recognised by its ctime and dated now.
- A time in the future, left by a clock that was set back, is newer than any output. It becomes now.
- A file edited while Ninja ran is older than the output of a command that had read it before the edit.
  It is dated now.
- A file that was only touched, or edited and reverted, is newer than the outputs built from the same
  text. It gets back the time it had, unless something may have been built from another text in between.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.ninja_log import NAME as NINJA_LOG
from tools.base.ninja_log import read_entries
from tools.base.store import Record

from .graph_records import ninja_ran_since

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry

# File systems and the clock may disagree by this much.
_CLOCK_SLACK_NS = 2_000_000_000
# Exists while the last build did not succeed; after a success, the state holds the same snapshot.
_SOURCES: Record[dict[str, Entry]] = Record("sources.json")
# Allowed between the last write to a file and the last change of its metadata, such as a rename.
_SLACK_NS = 2_000_000_000


def reset_future_times(build_dir: Path, present: Iterable[os.DirEntry[str]]) -> bool:
    """Have outputs dated in the future rebuilt. Return whether there were any.

    `present` lists the files of the build directory.
    """
    now = time.time_ns()
    late = [e.path for e in present if _mtime(e) > now + _CLOCK_SLACK_NS]
    recorded = max((entry.mtime for entry in read_entries(build_dir)), default=0)
    if not late and recorded <= now + _CLOCK_SLACK_NS:
        return False
    log = build_dir / NINJA_LOG
    log.unlink(missing_ok=True)
    for path in late:
        if path != str(log):  # dated like everything else that the last build wrote
            os.utime(path, ns=(now, now), follow_symlinks=False)
    return True


def _mtime(entry: os.DirEntry[str]) -> int:
    return entry.stat(follow_symlinks=False).st_mtime_ns


def begin_attempt(sources: Mapping[str, Entry], build_dir: Path) -> None:
    """Keep the snapshot of the last successful build, whose state is about to be withdrawn."""
    _SOURCES.write(build_dir, dict(sources))


def end_attempt(build_dir: Path) -> None:
    """Forget this snapshot after a success."""
    _SOURCES.delete(build_dir)


def date_for_ninja(sources: Mapping[str, Entry], build_dir: Path) -> dict[str, Entry]:
    """Correct times that would mislead Ninja; return the new entries of the files concerned.

    `sources` is this build's snapshot, with which the next call compares. Call this before CMake, which
    writes to the log whose time tells when Ninja last ran.
    """
    known = _SOURCES.read(build_dir) or {}
    dated = {}
    last_run, only_ours = _last_run(build_dir), not ninja_ran_since(build_dir)
    now = time.time_ns()
    for path, entry in sources.items():
        size, mtime, digest = entry[:3]
        if size < 0:
            continue
        before = known.get(path, [0, 0, ""])
        same = before[2] == digest and before[1] < mtime
        changed = path in known and before[2] != digest
        if same and only_ours:
            right = before[1]
        elif mtime > now or (
            changed and mtime <= last_run and (only_ours or not _has_its_write_time(path))
        ):
            right = now
        else:
            continue
        try:
            os.utime(path, ns=(now, right))
        except OSError as error:
            if error.errno == errno.EROFS:
                continue  # Ninja then builds what depends on the file, which is right but may be needless
            raise
        dated[path] = [size, right, *entry[2:]]
    _SOURCES.write(build_dir, {**sources, **dated})
    return dated


def forget_rewritten(build_dir: Path) -> dict[str, Entry]:
    """Forget the content of sources that were written while Ninja ran, since it may have read either text.

    Return entries for them whose empty digest matches no content, so that the next build looks again.
    """
    known = _SOURCES.read(build_dir) or {}
    rewritten = {
        path: [*entry[:2], "", *entry[3:]]
        for path, entry in known.items()
        if not _is_unwritten(path, entry)
    }
    if rewritten:
        _SOURCES.write(build_dir, {**known, **rewritten})
    return rewritten


def _has_its_write_time(path: str) -> bool:
    """Whether the mtime is the time of the last write; if so, Ninja can rely on it."""
    info = os.stat(path)
    return info.st_ctime_ns - info.st_mtime_ns < _SLACK_NS


def _is_unwritten(path: str, entry: Entry) -> bool:
    try:
        return bool(entry[0] < 0 or os.stat(path).st_mtime_ns == entry[1])
    except OSError:
        return False


def _last_run(build_dir: Path) -> int:
    try:
        return (build_dir / NINJA_LOG).stat().st_mtime_ns
    except OSError:
        return 0
