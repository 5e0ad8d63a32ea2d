"""Snapshots of the files of a checkout and its builds: names, bytes, modes and times."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

# Folders that every comparison skips.
SKIPPED_FOLDERS = frozenset({"__pycache__", ".git"})


@dataclass(frozen=True)
class Layout:
    """A project's folders: its package below the root, and the rest below a build directory."""

    package: str
    generated: tuple[str, ...]
    products: tuple[str, ...]


class FileState(NamedTuple):
    """The state of one file or link at one moment."""

    content: str
    """Digest of the bytes, or the target of a link."""
    mode: int
    mtime: int
    inode: int

    @property
    def state(self) -> tuple[str, int]:
        """The part that must be the same in a clean build."""
        return self.content, self.mode

    @property
    def write_stamp(self) -> tuple[int, int]:
        """A value that changes whenever the file is written, even with the same bytes."""
        return self.mtime, self.inode


FileStates = Mapping[str, FileState]


@dataclass(frozen=True)
class Outputs:
    """The files of one build directory and the files staged from it."""

    generated: FileStates
    products: FileStates
    objects: FileStates
    staged: FileStates

    def part(self, name: str) -> dict[str, tuple[str, int]]:
        """Return the state of each file by path, to compare with a clean build."""
        file_states: FileStates = getattr(self, name)
        return {path: snapshot.state for path, snapshot in file_states.items()}


class Observer:
    """Takes snapshots of files. A file is read again only if it changed since the last snapshot."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._known: dict[tuple[int, int, int, int], str] = {}

    def snapshot(self, path: str) -> FileState:
        info = os.lstat(path)
        if os.path.islink(path):
            content = f"-> {os.readlink(path)}"
        else:
            key = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
            if key not in self._known:
                with open(path, "rb") as file:
                    self._known[key] = blake2b(file.read(), digest_size=16).hexdigest()
            content = self._known[key]
        return FileState(content, info.st_mode, info.st_mtime_ns, info.st_ino)

    def content(self, path: str) -> str:
        """Return the digest of a file's bytes, or "" if there is no such file."""
        try:
            return self.snapshot(path).content
        except OSError:
            return ""

    def outputs(self, root: Path, build_dir: Path) -> Outputs:
        """Take snapshots of all outputs. Objects are not read, because only their times matter."""
        return Outputs(
            self._below(build_dir, self.layout.generated),
            self._below(build_dir, self.layout.products),
            dict(_times_of_objects(build_dir)),
            self._below(root, (self.layout.package,)),
        )

    def _below(self, base: Path, folders: tuple[str, ...]) -> FileStates:
        actual = {}
        for folder in folders:
            for path in files_below(base / folder):
                if not path.endswith(".o"):
                    actual[os.path.relpath(path, base)] = self.snapshot(path)
        return actual


def files_below(folder: Path) -> Iterator[str]:
    """Yield the paths of all files and links in sorted order."""
    for place, folders, names in os.walk(folder):
        linked = [name for name in folders if os.path.islink(f"{place}/{name}")]
        folders[:] = sorted({*folders} - {*linked} - SKIPPED_FOLDERS)
        yield from (f"{place}/{name}" for name in sorted([*names, *linked]))


def _times_of_objects(build_dir: Path) -> Iterator[tuple[str, FileState]]:
    for path in files_below(build_dir):
        if path.endswith(".o"):
            info = os.lstat(path)
            snapshot = FileState("", info.st_mode, info.st_mtime_ns, info.st_ino)
            yield os.path.relpath(path, build_dir), snapshot


def times_below(root: Path) -> dict[str, tuple[int, int]]:
    """Return the time and inode of each file, to find files that a build wrote needlessly."""
    actual = {}
    for path in files_below(root):
        info = os.lstat(path)
        actual[os.path.relpath(path, root)] = (info.st_mtime_ns, info.st_ino)
    return actual


def differences(actual: Mapping[str, object], expected: Mapping[str, object]) -> list[str]:
    """Describe how a tree differs from a clean build."""
    messages = [f"{path} is missing" for path in sorted(expected.keys() - actual.keys())]
    messages += [f"{path} is left over" for path in sorted(actual.keys() - expected.keys())]
    both = sorted(actual.keys() & expected.keys())
    return [*messages, *(f"{path} differs" for path in both if actual[path] != expected[path])]
