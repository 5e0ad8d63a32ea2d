"""Glob patterns over relative paths (`*` within a folder, `**/` across folders), and lists of the files below one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from .fingerprint import leads_up, relevant


@lru_cache(maxsize=512)
def compile_globs(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Compile patterns into one expression that matches whole relative paths with `/`."""
    return re.compile("(?:" + "|".join(map(_expression, patterns)) + r")\Z")


def _expression(pattern: str) -> str:
    out = []
    i = 0
    while i < len(pattern):
        if pattern.startswith("**/", i):
            out.append("(?:[^/]+/)*")
            i += 3
        elif pattern.startswith("**", i):
            out.append(".*")
            i += 2
        elif pattern[i] == "*":
            out.append("[^/]*")
            i += 1
        elif pattern[i] == "?":
            out.append("[^/]")
            i += 1
        else:
            out.append(re.escape(pattern[i]))
            i += 1
    return "".join(out)


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether any of the patterns matches the path."""
    fitting = tuple(patterns)
    return bool(fitting) and compile_globs(fitting).match(path) is not None


def matching(paths: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """Return the paths that any of the patterns matches."""
    if not (fitting := tuple(patterns)):
        return []
    fits = compile_globs(fitting).match
    return [path for path in paths if fits(path)]


def find_files(root: Path, patterns: Iterable[str], exclude: Iterable[str] = ()) -> list[str]:
    """Return the sorted relative paths of the matching files under `root`. A pattern may name a file."""
    found: set[str] = set()
    for (folder, deep), fitting in _walks(patterns).items():
        if deep is None:
            found.update(path for path in fitting if os.path.isfile(f"{root}/{path}"))
        else:
            found.update(matching(_walk(str(root), folder, deep), fitting))
    return sorted(found.difference(matching(found, exclude)))


def searched_folders(root: Path, patterns: Iterable[str]) -> list[str]:
    """Return the absolute paths of the folders in which a new file may match."""
    visited: list[str] = []
    for (folder, deep), _ in _walks(patterns).items():
        if deep is not None:
            for _ in _walk(str(root), folder, deep, visited):
                pass
    return visited


def _walks(patterns: Iterable[str]) -> dict[tuple[str, bool | None], list[str]]:
    """Group patterns by the folder to search and whether to search below it (None for plain names)."""
    walks: dict[tuple[str, bool | None], list[str]] = {}
    for pattern in patterns:
        fixed = re.split(r"[*?]", pattern, maxsplit=1)[0]
        rest = pattern[len(fixed) :]
        key = (fixed.rpartition("/")[0], "/" in rest or "**" in rest) if rest else ("", None)
        walks.setdefault(key, []).append(pattern)
    return walks


def _walk(root: str, folder: str, deep: bool, visited: list[str] | None = None) -> Iterator[str]:
    pending = [folder]
    while pending:
        current = pending.pop()
        try:
            entries = list(os.scandir(os.path.join(root, current)))
        except (FileNotFoundError, NotADirectoryError):
            continue
        if visited is not None:
            visited.append(os.path.join(root, current))
        for entry in entries:
            if not relevant(entry.name):
                continue
            path = f"{current}/{entry.name}" if current else entry.name
            if entry.is_dir():
                if deep and not (entry.is_symlink() and leads_up(entry.path)):
                    pending.append(path)
            elif entry.is_file() or not os.path.exists(entry.path):  # no pipe, socket or device
                yield path


def files_below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield every file and link without following links; nothing if the folder does not exist."""
    pending = [os.fspath(folder)]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except FileNotFoundError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            else:
                yield entry
