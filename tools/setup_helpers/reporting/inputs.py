"""What a person may edit, and how it differs from what an earlier build read.

Only for telling: whether anything has to be done is decided by the stages, CMake and Ninja.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from ..code_generation.checkout_facts import git_files
from ..table.config import Config
from ..tree.fingerprint import snapshot

if TYPE_CHECKING:
    from ..tree.fingerprint import Entry


class Change(Enum):
    """What became of an input."""

    EDITED = "edited"
    TOUCHED = "touched"  # newer, with the bytes it had
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True)
class ChangedInput:
    """One file; `path` is relative to the source root."""

    path: str
    change: Change
    time: float
    """When it was written last; when it was noticed, for a file that is gone."""
    sizes: tuple[int, int] = (0, 0)


def look(config: Config, known: Mapping[str, Entry], seen: Mapping[str, Entry]) -> dict[str, Entry]:
    """The inputs as they are, or as they were `seen` before.

    What has the size and time that it has in `known` is not read again.
    """
    paths = [str(config.root / path) for path in config.project.inputs]
    paths += [str(path) for path in git_files(config.root)]
    return {**snapshot(paths, known), **seen}


def sources(inputs: Mapping[str, Entry], config: Config) -> dict[str, Entry]:
    """Those that the table names: not what tells one commit from another."""
    places = tuple(str(config.root / path) for path in config.project.inputs)
    return {path: entry for path, entry in inputs.items() if path.startswith(places)}


def changed_inputs(
    before: Mapping[str, Entry], now: Mapping[str, Entry], config: Config
) -> list[ChangedInput]:
    """Files that differ, the newest first and those with the same bytes last.

    Nothing when there is no `before` of this tree.
    """
    if before.keys().isdisjoint(now):
        return []
    changes = []
    for path in sources({**before, **now}, config):  # another commit is told by its files
        old, new = before.get(path), now.get(path)
        if old != new:
            changes.append(_compare(os.path.relpath(path, config.root), old, new))
    return sorted(filter(None, changes), key=_interest)


def _interest(changed: ChangedInput) -> tuple[bool, float]:
    return changed.change is Change.TOUCHED, -changed.time


def _compare(path: str, old: Entry | None, new: Entry | None) -> ChangedInput | None:
    """None for a folder: what changed in it is told by its files."""
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
