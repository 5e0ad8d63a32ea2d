"""The outputs of one generator: made and written if changed, recorded, deleted when no longer made."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BuildError
from ..tree.atomic import write_if_changed, write_new
from ..tree.fingerprint import digest_text
from .generation import damaged

if TYPE_CHECKING:
    from ..tree.fingerprint import Entry


@dataclass(frozen=True)
class _File:
    ingredients: str
    text: Callable[[], str]


@dataclass
class FileManager:
    """Collects a generator's files; nothing touches the disk before `commit`.

    So a generator that fails halfway leaves the tree as it was. Paths are relative to `root`, and
    must lie under `directory`, which the generator owns.
    """

    root: Path
    directory: str
    owners: Mapping[str, str] = field(default_factory=dict)
    """Files of other generators: path to name."""
    reusable: Mapping[str, Entry] = field(default_factory=dict)
    """Files of the last run, [size, mtime, ingredients], whose ingredients can be trusted."""
    last_meaning: str = ""
    """What the last run passed to `unchanged`, if its files are reusable."""
    meaning: str = field(default="", init=False)
    _files: dict[str, _File] = field(default_factory=dict, init=False)
    _kept: dict[str, Entry] = field(default_factory=dict, init=False)
    _made: dict[str, bytes] = field(default_factory=dict, init=False)

    def write(self, path: str, text: str) -> None:
        """A file whose text is there already; raises BuildError as `add` does."""
        self.add(path, digest_text(text), lambda: text)

    def add(self, path: str, ingredients: str, text: Callable[[], str]) -> None:
        """A file that `text` makes; not called when the ingredients are those of the last run.

        Raises BuildError when the file is another's, was added already, or lies elsewhere.
        """
        inside = path.startswith(f"{self.directory}/") or not self.directory
        if not inside or path.startswith("/") or ".." in path.split("/"):
            raise BuildError(f"generated file {path!r} lies outside {self.directory!r}")
        if path in self._files:
            raise BuildError(f"generated file {path!r} is written twice")
        if path in self.owners:
            raise BuildError(f"generated file {path!r} belongs to stage {self.owners[path]!r}")
        self._files[path] = _File(ingredients, text)

    def unchanged(self, meaning: str) -> bool:
        """Whether the inputs mean what they meant last time: then its files stay, add none.

        `meaning` is a digest of all that the generator reads in its inputs: not their comments.
        """
        self.meaning = meaning
        if not meaning or meaning != self.last_meaning or not self.reusable:
            return False
        if any(path in self.owners for path in self.reusable) or self._files:
            return False
        if damaged(str(self.root), self.reusable):
            return False
        self._kept = dict(self.reusable)
        return True

    @property
    def outputs(self) -> list[str]:
        return sorted(self._files or self._kept)

    def make(self) -> None:
        """Make the texts that must be made, in memory."""
        root, files = str(self.root), self._files
        same = {
            path: entry
            for path, entry in self.reusable.items()
            if path in files and files[path].ingredients == entry[2]
        }
        if damaged(root, same):
            same = {p: entry for p, entry in same.items() if not damaged(root, {p: entry})}
        self._kept = same
        for path, file in files.items():
            if path not in same:
                self._made[path] = file.text().encode()

    def commit(self, previous: Collection[str]) -> tuple[list[str], list[str]]:
        """Writes what changed and deletes `previous` files no longer made; returns both lists."""
        if len(self._made) + len(self._kept) < len(self._files):
            self.make()
        root, known = str(self.root), set(previous)
        changed = [
            path
            for path in sorted(self._made)
            if (write_if_changed if path in known else write_new)(
                f"{root}/{path}", self._made[path]
            )
        ]
        gone = [
            path
            for path in previous
            if path not in self._files and path not in self._kept and path not in self.owners
        ]
        for path in gone:
            remove_with_empty_parents(self.root / path, self.root)
        return changed, gone

    def entries(self) -> dict[str, Entry]:
        """The files as they are on disk after `commit`, for the record."""
        entries = dict(self._kept)
        for path in self._made:
            info = os.stat(f"{self.root}/{path}")
            entries[path] = [info.st_size, info.st_mtime_ns, self._files[path].ingredients]
        return entries


def remove_with_empty_parents(path: Path, stop: Path) -> None:
    """Deletes a file and the folders above it that became empty, up to `stop`."""
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == stop or stop not in parent.parents:
            return
        try:
            parent.rmdir()
        except OSError:
            return
