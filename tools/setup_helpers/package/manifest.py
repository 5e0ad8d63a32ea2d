"""build/manifest.json: which files of the source tree are copies that staging put there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..tree.sealed import read_sealed, write_sealed

NAME = "manifest.json"


def read_manifest(build_dir: Path) -> dict[str, Any]:
    """Staged path -> [size, mtime_ns of the copy, size, mtime_ns of its source]."""
    manifest: dict[str, Any] = read_sealed(build_dir / NAME) or {}
    return manifest


def write_manifest(build_dir: Path, rows: Mapping[str, list[int]]) -> None:
    """A row is empty while its file is being written."""
    write_sealed(build_dir / NAME, rows)


@dataclass(frozen=True)
class StagedFile:
    """One row of the manifest, beside what lies in its place."""

    path: str
    place: Path
    entry: list[int]
    source: Path | None
    """What it was copied from, where the plan of the build still says."""

    @property
    def is_ours(self) -> bool:
        """As staged, by its time or, in a tree that was copied, by its bytes."""
        if self.place.is_symlink() or not self.place.is_file():
            return False
        info = self.place.stat()
        if self.entry[:2] == [info.st_size, info.st_mtime_ns]:
            return True
        return (
            self.source is not None
            and self.source.is_file()
            and same_bytes(self.source, self.place)
        )

    @property
    def is_changed(self) -> bool:
        """Something else took its place."""
        return self.place.exists() and not self.is_ours


def staged_files(root: Path, build_dir: Path, sources: Mapping[str, Path]) -> list[StagedFile]:
    """What the manifest knows; `sources` are what it would be copied from today."""
    manifest = read_manifest(build_dir)
    return [
        StagedFile(path, root / path, entry, sources.get(path)) for path, entry in manifest.items()
    ]


def same_bytes(a: Path, b: Path) -> bool:
    if a.stat().st_size != b.stat().st_size:
        return False
    with a.open("rb") as x, b.open("rb") as y:
        while True:
            left = x.read(1 << 20)
            if left != y.read(1 << 20):
                return False
            if not left:
                return True
