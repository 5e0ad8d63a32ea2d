"""Glob patterns over relative paths: `*` within a folder, `**/` across folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from .tree.fingerprint import relevant


@lru_cache(maxsize=512)
def compile_glob(pattern: str) -> re.Pattern[str]:
    """A regular expression for whole relative paths with `/`."""
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
    return re.compile("".join(out) + r"\Z")


def matches(path: str, patterns: Iterable[str]) -> bool:
    return any(compile_glob(p).match(path) for p in patterns)


def find_files(root: Path, patterns: Iterable[str], exclude: Iterable[str] = ()) -> list[str]:
    """Relative paths of the files under `root` that match, sorted. A pattern may name a file."""
    found: set[str] = set()
    for pattern in patterns:
        fixed = re.split(r"[*?]", pattern, maxsplit=1)[0]
        if fixed == pattern:
            if (root / pattern).is_file():
                found.add(pattern)
            continue
        folder = fixed.rpartition("/")[0]
        regex = compile_glob(pattern)
        deep = "/" in pattern[len(fixed) :] or "**" in pattern
        found.update(p for p in _walk(str(root), folder, deep) if regex.match(p))
    excluded = list(exclude)
    return sorted(p for p in found if not matches(p, excluded)) if excluded else sorted(found)


def _walk(root: str, folder: str, deep: bool) -> Iterable[str]:
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
