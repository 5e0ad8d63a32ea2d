"""The inputs that a user may edit, and how they differ from those of the last successful build.

This is for reports only: the stages, CMake and Ninja decide whether anything has to be rebuilt.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.fingerprint import snapshot

from ..table.config import Config
from . import noop
from .checkout_facts import git_files
from .outside import changed_outside

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry


class Change(Enum):
    """How an input changed."""

    EDITED = "edited"
    TOUCHED = "touched"  # newer, but with the same contents
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True)
class ChangedInput:
    """One file; `path` is relative to the source root."""

    path: str
    change: Change
    time: float
    """The modification time; for a removed file, the time when that was noticed."""
    sizes: tuple[int, int] = (0, 0)


def scan_inputs(config: Config, last: LastBuild, seen: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the current inputs; entries in `seen` are used as they are.

    Files that were not written since the last build read them are not read again.
    """
    paths = [str(config.root / path) for path in config.project.inputs]
    paths += [str(path) for path in git_files(config.root)]
    return {**snapshot(paths, last.inputs, last.written), **seen}


def sources(inputs: Mapping[str, Entry], config: Config) -> dict[str, Entry]:
    """Return the inputs that the table names, without the files that identify the commit."""
    places = tuple(str(config.root / path) for path in config.project.inputs)
    return {path: entry for path, entry in inputs.items() if path.startswith(places)}


def changed_inputs(
    before: Mapping[str, Entry], now: Mapping[str, Entry], config: Config
) -> list[ChangedInput]:
    """Return the files that differ, newest first, and touched files last.

    The result is empty when `before` does not belong to this tree.
    """
    if before.keys().isdisjoint(now):
        return []
    changes = []
    for path in sources({**before, **now}, config):  # another commit shows in its files
        old, new = before.get(path), now.get(path)
        if old != new:
            changes.append(_compare(os.path.relpath(path, config.root), old, new))
    return sorted(filter(None, changes), key=_order)


def changes_outside(last: LastBuild) -> list[ChangedInput]:
    """Return the files outside the checkout that differ from what the last build read, by absolute path."""
    changed = changed_outside(last.outside, last.written)
    now = snapshot(changed)
    compared = (_compare(path, last.outside[path], now[path]) for path in changed)
    return sorted(filter(None, compared), key=_order)


def _order(changed: ChangedInput) -> tuple[bool, float]:
    return changed.change is Change.TOUCHED, -changed.time


def _compare(path: str, old: Entry | None, new: Entry | None) -> ChangedInput | None:
    """Compare two entries; return None for a folder, whose files show what changed."""
    was = old is not None and old[0] >= 0
    is_there = new is not None and new[0] >= 0
    match was, is_there:
        case True, True:
            assert old is not None and new is not None
            change = Change.TOUCHED if old[2] == new[2] else Change.EDITED
            return ChangedInput(path, change, new[1] / 1e9, (old[0], new[0]))
        case True, False:
            assert old is not None
            return ChangedInput(path, Change.REMOVED, time.time(), (old[0], 0))
        case False, True:
            assert new is not None
            return ChangedInput(path, Change.ADDED, new[1] / 1e9, (0, new[0]))
    return None


@dataclass(frozen=True)
class LastBuild:
    """The last successful build; before the first one, everything is empty and the time is 0."""

    began: float = 0.0
    seconds: float = 0.0
    inputs: Mapping[str, Entry] = field(default_factory=dict)
    """Path -> size, time and content when the build read it."""
    outside: Mapping[str, Entry] = field(default_factory=dict)
    """The same of files outside the checkout, such as headers of the system."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """File of the package -> bytes."""
    written: int = 0
    """When this was recorded, in nanoseconds."""


def read_last_build(build_dir: Path) -> LastBuild:
    """Return the last successful build."""
    state = noop.last_state(str(build_dir))
    if not state:
        return LastBuild()
    written = noop.time_of_last_state(str(build_dir))
    return LastBuild(
        **state["build"],
        inputs=state["inputs"],
        outside=state.get("outside", {}),
        written=written,
    )
