"""Glob patterns over relative paths: `*` within a folder, `**/` across folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from .tree.fingerprint import relevant


@lru_cache(maxsize=512)
def compile_globs(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """A regular expression for whole relative paths with `/` that any of the patterns fits."""
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
    fitting = tuple(patterns)
    return bool(fitting) and compile_globs(fitting).match(path) is not None


def matching(paths: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """Those of the paths that any of the patterns fits."""
    if not (fitting := tuple(patterns)):
        return []
    fits = compile_globs(fitting).match
    return [path for path in paths if fits(path)]


def find_files(root: Path, patterns: Iterable[str], exclude: Iterable[str] = ()) -> list[str]:
    """Relative paths of the files under `root` that match, sorted. A pattern may name a file."""
    found: set[str] = set()
    walks: dict[tuple[str, bool], list[str]] = {}
    for pattern in patterns:
        fixed = re.split(r"[*?]", pattern, maxsplit=1)[0]
        if fixed == pattern:
            if os.path.isfile(f"{root}/{pattern}"):
                found.add(pattern)
            continue
        deep = "/" in pattern[len(fixed) :] or "**" in pattern
        walks.setdefault((fixed.rpartition("/")[0], deep), []).append(pattern)
    for (folder, deep), fitting in walks.items():
        found.update(matching(_walk(str(root), folder, deep), fitting))
    return sorted(found.difference(matching(found, exclude)))


def _walk(root: str, folder: str, deep: bool) -> Iterator[str]:
    pending = [folder]
    while pending:
        current = pending.pop()
        try:
            entries = list(os.scandir(os.path.join(root, current)))
        except (FileNotFoundError, NotADirectoryError):
            continue
        for entry in entries:
            if not relevant(entry.name):
                continue
            path = f"{current}/{entry.name}" if current else entry.name
            if entry.is_dir():
                if deep:
                    pending.append(path)
            else:
                yield path
