"""The outputs of one generator: write what changed, record it, and delete what is no longer made."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .atomic import write_if_changed, write_new
from .errors import BuildError
from .fingerprint import digest_text
from .generation import first_damage

if TYPE_CHECKING:
    from .fingerprint import Entry


@dataclass(frozen=True)
class _File:
    ingredients: str
    text: Callable[[], str]


@dataclass
class FileManager:
    """The files of one generator, collected in memory and written by `commit`.

    A generator that fails halfway therefore leaves the tree unchanged. Paths are relative to `root` and
    must lie under `directory`, which the generator owns.
    """

    root: Path
    directory: str
    owners: Mapping[str, str] = field(default_factory=dict)
    """Path of each file of another generator -> name of that generator."""
    reusable: Mapping[str, Entry] = field(default_factory=dict)
    """Files of the last run as [size, mtime, ingredients], kept if their ingredients are the same."""
    last_meaning: str = ""
    """The argument with which the last run called `unchanged`, if its files are reusable."""
    meaning: str = field(default="", init=False)
    _files: dict[str, _File] = field(default_factory=dict, init=False)
    _is_unchanged: bool = field(default=False, init=False)
    _kept: dict[str, Entry] = field(default_factory=dict, init=False)
    _made: dict[str, bytes] = field(default_factory=dict, init=False)

    def write(self, path: str, text: str) -> None:
        """Add a file whose text is known already. Raises BuildError as `add` does."""
        self.add(path, digest_text(text), lambda: text)

    def add(self, path: str, ingredients: str, text: Callable[[], str]) -> None:
        """Add a file. `text` is called only if the ingredients differ from those of the last run.

        Raises:
            BuildError: If the file belongs to another generator, was added before, or lies outside
                `directory`.
        """
        inside = path.startswith(f"{self.directory}/") or not self.directory
        if not inside or path.startswith("/") or ".." in path.split("/"):
            raise BuildError(f"generated file {path!r} lies outside {self.directory!r}")
        if self._is_unchanged:
            raise BuildError(
                f"generated file {path!r} was added although all files were declared unchanged"
            )
        if path in self._files:
            raise BuildError(f"generated file {path!r} is written twice")
        if path in self.owners:
            raise BuildError(f"generated file {path!r} belongs to stage {self.owners[path]!r}")
        self._files[path] = _File(ingredients, text)

    def unchanged(self, meaning: str) -> bool:
        """Whether the inputs have the same meaning as in the last run.

        If they have, all files of the last run are kept and none may be added. `meaning` is a digest of
        everything that the generator reads from its inputs, which excludes comments.
        """
        self.meaning = meaning
        if not meaning or meaning != self.last_meaning or not self.reusable:
            return False
        if any(path in self.owners for path in self.reusable) or self._files:
            return False
        if first_damage(str(self.root), self.reusable):
            return False
        self._is_unchanged = True
        self._kept = dict(self.reusable)
        return True

    @property
    def outputs(self) -> list[str]:
        return sorted(self._kept if self._is_unchanged else self._files)

    def make(self) -> None:
        """Make the new or changed texts, in memory."""
        if self._is_unchanged:
            return
        root, files = str(self.root), self._files
        same = {
            path: entry
            for path, entry in self.reusable.items()
            if path in files and files[path].ingredients == entry[2]
        }
        if first_damage(root, same):
            same = {p: entry for p, entry in same.items() if not first_damage(root, {p: entry})}
        self._kept = same
        for path, file in files.items():
            if path not in same:
                self._made[path] = file.text().encode()

    def commit(self, previous: Collection[str]) -> tuple[list[str], list[str]]:
        """Write changed files and delete `previous` files no longer made; return the paths of both.

        Raises:
            BuildError: If a folder is in place of a file, or a file in place of a folder.
        """
        if len(self._made) + len(self._kept) < len(self._files):
            self.make()
        known = set(previous)
        changed = [path for path in sorted(self._made) if self._write(path, path in known)]
        gone = [
            path
            for path in previous
            if path not in self._files and path not in self._kept and path not in self.owners
        ]
        for path in gone:
            remove_with_empty_parents(self.root / path, self.root)
        return changed, gone

    def _write(self, path: str, is_known: bool) -> bool:
        """Write a file that was made; return whether it changed."""
        try:
            return (write_if_changed if is_known else write_new)(
                f"{self.root}/{path}", self._made[path]
            )
        except (IsADirectoryError, NotADirectoryError):
            raise _blocked(self.root / path) from None

    def entries(self) -> dict[str, Entry]:
        """Return the entries of the files on disk after `commit`, for the record."""
        entries = dict(self._kept)
        for path in self._made:
            info = os.stat(f"{self.root}/{path}")
            entries[path] = [info.st_size, info.st_mtime_ns, self._files[path].ingredients]
        return entries


def _blocked(path: Path) -> BuildError:
    """Return the error for a file whose place, or the place of one of its folders, is taken."""
    obstacle = next((parent for parent in path.parents if parent.is_file()), path)
    kind, place = ("folder", "there") if obstacle == path else ("file", f"at {path}")
    return BuildError(
        f"{obstacle} is a {kind}, but the build generates a file {place}",
        hint=f"move or delete the {kind}, and run the command again",
    )


def remove_with_empty_parents(path: Path, stop: Path) -> None:
    """Delete a file and the folders above it that become empty, up to `stop`."""
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == stop or stop not in parent.parents:
            return
        try:
            parent.rmdir()
        except OSError:
            return
