"""Has anything changed? Files are stat-ed first and hashed only when their stat moved.

On the path of a build that has nothing to do, so it imports next to nothing.
"""

from __future__ import annotations

import os
from stat import S_ISDIR

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    # [size, mtime_ns, digest] of a file; [-1, mtime_ns, names] of a folder; [-2, 0, ""] of nothing.
    Entry = list[Any]

# Tools write these beside sources; they are never inputs.
IGNORED_FOLDERS = frozenset({"__pycache__", ".git", ".mypy_cache", ".ruff_cache", "node_modules"})
IGNORED_SUFFIXES = (".pyc", ".pyo", ".tmp", ".swp", "~")


def digest_file(path: str) -> str:
    """Content digest, or "" for a file that is not there."""
    from hashlib import blake2b

    try:
        with open(path, "rb") as file:
            return blake2b(file.read(), digest_size=16).hexdigest()
    except OSError:
        return ""


def digest_text(*parts: str) -> str:
    """Digest of texts with their boundaries."""
    from hashlib import blake2b

    result = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        result.update(b"%d:" % len(data))
        result.update(data)
    return result.hexdigest()


def relevant(name: str) -> bool:
    """Whether a folder's entry counts as input."""
    return not (name in IGNORED_FOLDERS or name.endswith(IGNORED_SUFFIXES))


def _names(path: str) -> str:
    try:
        return "\n".join(sorted(filter(relevant, os.listdir(path))))
    except OSError:
        return ""


def snapshot(paths: list[str], known: Mapping[str, Entry] | None = None) -> dict[str, Entry]:
    """Entries of files and, recursively, of folders; absent paths are recorded as absent.

    A file with the size and time of its `known` entry is not read again.
    """
    known = known or {}
    entries: dict[str, Entry] = {}
    pending = list(paths)
    while pending:
        path = pending.pop()
        try:
            info = os.stat(path)
        except OSError:
            entries[path] = [-2, 0, ""]
            continue
        if S_ISDIR(info.st_mode):
            names = _names(path)
            entries[path] = [-1, info.st_mtime_ns, names]
            pending += [f"{path}/{name}" for name in names.split("\n") if name]
        else:
            before = known.get(path)
            if before and before[:2] == [info.st_size, info.st_mtime_ns]:
                entries[path] = before
            else:
                entries[path] = [info.st_size, info.st_mtime_ns, digest_file(path)]
    return entries


def first_change(entries: dict[str, Entry]) -> str:
    """Path of the first entry that differs from the disk, or "". Moved stats are checked by content."""
    stat = os.stat
    for path, entry in entries.items():
        size = entry[0]
        try:
            info = stat(path)
        except OSError:
            if size != -2:
                return path
            continue
        if size == -2:
            return path
        if info.st_mtime_ns == entry[1] and (size == -1 or info.st_size == size):
            continue
        if size == -1:
            if _names(path) != entry[2]:
                return path
        elif info.st_size != size or digest_file(path) != entry[2]:
            return path
    return ""
