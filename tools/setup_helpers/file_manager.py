"""The outputs of one generation stage: written if changed, recorded, and deleted when no longer made."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .atomic import write_if_changed
from .errors import BuildError


@dataclass
class FileManager:
    """Collects a stage's files in memory; nothing touches the disk before `commit`.

    So a stage that fails halfway leaves the tree as it was. Paths are relative to `root`, the build
    directory, and must lie under `directory`, which the stage owns.
    """

    root: Path
    directory: str
    owners: dict[str, str] = field(default_factory=dict)
    """Files of other stages: path to stage name."""
    _files: dict[str, bytes] = field(default_factory=dict)

    def write(self, path: str, text: str) -> None:
        """Raises BuildError when the file is another's, was written already, or lies elsewhere."""
        parts = Path(path).parts
        if ".." in parts or Path(path).is_absolute() or not path.startswith(f"{self.directory}/"):
            raise BuildError(f"generated file {path!r} lies outside {self.directory!r}")
        if path in self._files:
            raise BuildError(f"generated file {path!r} is written twice")
        if path in self.owners:
            raise BuildError(f"generated file {path!r} belongs to stage {self.owners[path]!r}")
        self._files[path] = text.encode()

    @property
    def outputs(self) -> list[str]:
        return sorted(self._files)

    def commit(self, previous: list[str]) -> tuple[list[str], list[str]]:
        """Writes what changed and deletes `previous` files no longer made; returns both lists."""
        changed = [
            path for path in self.outputs if write_if_changed(self.root / path, self._files[path])
        ]
        gone = [path for path in previous if path not in self._files and path not in self.owners]
        for path in gone:
            remove_with_empty_parents(self.root / path, self.root)
        return changed, gone


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
