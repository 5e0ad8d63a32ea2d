"""Files outside the checkout that outputs were made from, such as headers of the system, of Python and of packages.

Ninja compares times only, and an upgrade installs files with the times of their archive, which are
often older than the objects. So each build records their content.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Collection, Container, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.fingerprint import first_change, snapshot
from tools.base.ninja_deps import read_dependencies, read_paths
from tools.base.ninja_manifest import libraries_of

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry


def scan_outside(
    build_dir: Path, inputs: Container[str], known: Mapping[str, Entry], taken: int, began: float
) -> dict[str, Entry]:
    """Return the entries of the files that are neither inputs of the checkout nor in the build directory.

    A file written since the build began may have been read before or after, so its entry matches no content.
    Files that still match their entry in `known`, and were not written since these were `taken`, are not
    read again.
    """
    linked = (paths for _, paths in libraries_of(build_dir))
    paths = {*read_paths(build_dir), *chain.from_iterable(linked)}
    own = f"{build_dir}/"
    outside = [p for p in paths if p.startswith("/") and not p.startswith(own) and p not in inputs]
    entries = snapshot(sorted(outside), known, taken)
    now = time.time_ns()  # a later time is left from before the clock was set back
    for path, entry in entries.items():
        with suppress(OSError):
            if entry[0] >= 0 and began * 1e9 <= os.stat(path).st_ctime_ns <= now:
                entry[1:3] = [0, ""]
    return entries


def changed_outside(known: Mapping[str, Entry], taken: int) -> list[str]:
    """Return the files that differ from their entries, which were `taken` at that time."""
    return [path for path, entry in known.items() if first_change({path: entry}, taken)]


def outdated(build_dir: Path, changed: Collection[str]) -> dict[str, list[Path]]:
    """Map each changed file to the outputs made from it that Ninja would not make again.

    An output is listed once, with the first of its files that changed.
    """
    found: defaultdict[str, list[Path]] = defaultdict(list)
    if not changed:
        return found
    changed = set(changed)
    for output, inputs in [*read_dependencies(build_dir).items(), *libraries_of(build_dir)]:
        hidden = (p for p in changed.intersection(inputs) if _hides_change(build_dir / output, p))
        if path := min(hidden, default=""):
            found[path].append(build_dir / output)
    return found


def remove_outdated(build_dir: Path, known: Mapping[str, Entry], taken: int) -> dict[str, int]:
    """Delete outputs made from files that changed since `known` was taken, unless Ninja will notice that itself.

    Return the files, with the number of outputs that were deleted.
    """
    found = outdated(build_dir, changed_outside(known, taken))
    for outputs in found.values():
        for output in outputs:
            output.unlink(missing_ok=True)
    return {path: len(outputs) for path, outputs in found.items()}


def _hides_change(output: Path, path: str) -> bool:
    """Whether the output was made before the file was put there, and is dated after it."""
    try:
        made, info = output.stat().st_mtime_ns, os.stat(path)
    except OSError:
        return False
    return info.st_mtime_ns <= made <= info.st_ctime_ns
