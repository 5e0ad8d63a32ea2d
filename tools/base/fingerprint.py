"""Snapshots of files, and whether one still holds. A file is hashed only when its stat changed.

The no-op build imports this module, so it imports next to nothing itself.
"""

from __future__ import annotations

import os
from stat import S_ISDIR, S_ISLNK, S_ISREG

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    # A file: [size, mtime_ns, digest, kind]. A folder: [-1, mtime_ns, names]. Absent: [-2, 0, ""].
    # The digest of a file that cannot be read is "", as is that of a named pipe, a socket or a device.
    Entry = list[Any]

# The kind of a file is the sum of these. For a link, everything else describes its target.
EXECUTABLE = 0o100  # the same bit as in its mode
LINK = 1

# Tools write these next to sources; they are never inputs. Emacs puts a link to nowhere, `.#NAME`, next
# to a file with unsaved changes, and saves them in `#NAME#`; like shells, we ignore all hidden files.
IGNORED_FOLDERS = frozenset({"__pycache__", "node_modules"})
IGNORED_PREFIXES = (".", "#")
IGNORED_SUFFIXES = (".pyc", ".pyo", ".tmp", "~")


# In nanoseconds, later than any file was written.
_NEVER = 1 << 63


def digest_file(path: str) -> str:
    """Return a digest of the content, or "" if the file cannot be read."""
    from hashlib import blake2b

    try:
        with open(path, "rb") as file:
            return blake2b(file.read(), digest_size=16).hexdigest()
    except OSError:
        return ""


def _digest(path: str, info: os.stat_result) -> str:
    """Return the digest of a file; "" for a named pipe, which reading would wait for, and the like."""
    return digest_file(path) if S_ISREG(info.st_mode) else ""


def digest_text(*parts: str) -> str:
    """Return a digest of the texts that also depends on where each one ends."""
    from hashlib import blake2b

    result = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        result.update(b"%d:" % len(data))
        result.update(data)
    return result.hexdigest()


def relevant(name: str) -> bool:
    """Whether a directory entry of this name counts as an input."""
    return not (
        name.startswith(IGNORED_PREFIXES)
        or name.endswith(IGNORED_SUFFIXES)
        or name in IGNORED_FOLDERS
    )


def read_stat(path: str) -> list[int]:
    """Return size, time and kind of a file; empty for anything else."""
    try:
        info = os.lstat(path)
        link = LINK if S_ISLNK(info.st_mode) else 0
        if link:
            info = os.stat(path)
    except OSError:
        return []
    if S_ISDIR(info.st_mode):
        return []
    return [info.st_size, info.st_mtime_ns, link | (info.st_mode & EXECUTABLE)]


def leads_up(link: str) -> bool:
    """Whether a link leads to a folder that it is in, so that a walk through it would not end."""
    return f"{link}/".startswith(f"{os.path.realpath(link)}/")


def _names(path: str) -> str:
    try:
        return "/".join(sorted(filter(relevant, os.listdir(path))))
    except OSError:
        return ""


def snapshot(
    paths: list[str], known: Mapping[str, Entry] | None = None, taken: int = _NEVER
) -> dict[str, Entry]:
    """Return the entries of files and, recursively, of folders; absent paths get an entry, too.

    A file is not read again if its size and time are those of its `known` entry, unless it was written
    since these were `taken`, as when an archive with fixed times is unpacked over the sources.
    """
    known = known or {}
    entries: dict[str, Entry] = {}
    pending = list(paths)
    while pending:
        path = pending.pop()
        try:
            info = os.lstat(path)
            link = LINK if S_ISLNK(info.st_mode) else 0
            if link:
                info = os.stat(path)
        except OSError:
            entries[path] = [-2, 0, ""]
            continue
        if S_ISDIR(info.st_mode):
            names = _names(path)
            entries[path] = [-1, info.st_mtime_ns, names]
            if not (link and leads_up(path)):
                pending += [f"{path}/{name}" for name in names.split("/") if name]
        else:
            before = known.get(path)
            look = [info.st_size, info.st_mtime_ns]
            same = before and before[:2] == look and info.st_ctime_ns < taken
            digest = before[2] if before and same else _digest(path, info)
            entries[path] = [*look, digest, link | (info.st_mode & EXECUTABLE)]
    return entries


def first_change(entries: dict[str, Entry], taken: int = _NEVER) -> str:
    """Return the path of the first entry that differs from the disk, or "".

    If only the time differs, or the file was written since the entries were `taken`, the content decides.
    """
    lstat = os.lstat
    for path, entry in entries.items():
        size = entry[0]
        try:
            info = lstat(path)
            link = LINK if S_ISLNK(info.st_mode) else 0
            if link:
                info = os.stat(path)
        except OSError:
            if size != -2:
                return path
            continue
        if size == -2:
            return path
        if size >= 0 and link | (info.st_mode & EXECUTABLE) != entry[3]:
            return path
        if info.st_mtime_ns == entry[1] and (
            size == -1 or (info.st_size == size and info.st_ctime_ns < taken)
        ):
            continue
        if size == -1:
            if _names(path) != entry[2]:
                return path
        elif info.st_size != size or _digest(path, info) != entry[2]:
            return path
    return ""
