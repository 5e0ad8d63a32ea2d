"""What a checkout holds and what builds made of it: names, bytes, modes and times."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

# Folders that no comparison looks into, wherever they lie.
UNSEEN = frozenset({"__pycache__", ".git"})


@dataclass(frozen=True)
class Layout:
    """Where a project's files lie: its package below the root, what is made below a build directory."""

    package: str
    generated: tuple[str, ...]
    products: tuple[str, ...]


class Look(NamedTuple):
    """One file or link as it is now."""

    content: str
    """Digest of the bytes, or where a link points."""
    mode: int
    mtime: int
    inode: int

    @property
    def state(self) -> tuple[str, int]:
        """What a clean build must agree with."""
        return self.content, self.mode

    @property
    def writing(self) -> tuple[int, int]:
        """Differs after the file was written again, though it has the same bytes."""
        return self.mtime, self.inode


Looks = Mapping[str, Look]


@dataclass(frozen=True)
class Made:
    """What one build directory holds and what is staged from it."""

    generated: Looks
    products: Looks
    objects: Looks
    staged: Looks

    def part(self, name: str) -> dict[str, tuple[str, int]]:
        """Path to state, for a comparison with a clean build."""
        looks: Looks = getattr(self, name)
        return {path: look.state for path, look in looks.items()}


class Observer:
    """Looks at files; reads again only what changed since it looked last."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._known: dict[tuple[int, int, int, int], str] = {}

    def look(self, path: str) -> Look:
        info = os.lstat(path)
        if os.path.islink(path):
            content = f"-> {os.readlink(path)}"
        else:
            key = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
            if key not in self._known:
                with open(path, "rb") as file:
                    self._known[key] = blake2b(file.read(), digest_size=16).hexdigest()
            content = self._known[key]
        return Look(content, info.st_mode, info.st_mtime_ns, info.st_ino)

    def content(self, path: str) -> str:
        """Digest of a file's bytes, or "" where there is none."""
        try:
            return self.look(path).content
        except OSError:
            return ""

    def made(self, root: Path, build_dir: Path) -> Made:
        """What is there now. Of the objects only their times matter."""
        return Made(
            self._below(build_dir, self.layout.generated),
            self._below(build_dir, self.layout.products),
            dict(_times_of_objects(build_dir)),
            self._below(root, (self.layout.package,)),
        )

    def _below(self, base: Path, folders: tuple[str, ...]) -> Looks:
        found = {}
        for folder in folders:
            for path in files_below(base / folder):
                if not path.endswith(".o"):
                    found[os.path.relpath(path, base)] = self.look(path)
        return found


def files_below(folder: Path) -> Iterator[str]:
    """Every file and link, in order."""
    for place, folders, names in os.walk(folder):
        linked = [name for name in folders if os.path.islink(f"{place}/{name}")]
        folders[:] = sorted({*folders} - {*linked} - UNSEEN)
        yield from (f"{place}/{name}" for name in sorted([*names, *linked]))


def _times_of_objects(build_dir: Path) -> Iterator[tuple[str, Look]]:
    for path in files_below(build_dir):
        if path.endswith(".o"):
            info = os.lstat(path)
            look = Look("", info.st_mode, info.st_mtime_ns, info.st_ino)
            yield os.path.relpath(path, build_dir), look


def times_below(root: Path) -> dict[str, tuple[int, int]]:
    """When each file of a tree was written; to find out what a build wrote that had nothing to do."""
    found = {}
    for path in files_below(root):
        info = os.lstat(path)
        found[os.path.relpath(path, root)] = (info.st_mtime_ns, info.st_ino)
    return found


def differences(found: Mapping[str, object], wanted: Mapping[str, object]) -> list[str]:
    """How a tree differs from a clean one, as a person would say it."""
    said = [f"{path} is missing" for path in sorted(wanted.keys() - found.keys())]
    said += [f"{path} is left over" for path in sorted(found.keys() - wanted.keys())]
    both = sorted(found.keys() & wanted.keys())
    return [*said, *(f"{path} is another" for path in both if found[path] != wanted[path])]
