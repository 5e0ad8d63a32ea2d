"""Record which files in the source tree are staged copies, and of which build directory.

Each build directory has a manifest in two places: `manifest.json` in itself, and a twin in the source
tree's folder `.staged`. Each restores the other, so that staged files stay known when a record is lost
or damaged, or when the whole build directory is deleted. The twins of all build directories tell which
of them staged a file; it is deleted with the last of them.

- A name is recorded before its file is written, and removed after its file is deleted.
- A file is deleted only if it is the recorded copy, by size and time or by content.
- Within a build directory, a file with a Python's SOABI in its name belongs to that Python. A build
  for another Python leaves it alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tools.base.atomic import is_temporary
from tools.base.fingerprint import digest_file, digest_text, read_stat
from tools.base.store import Record

from ..state.folders import remove_ignored_folder, write_ignore_file

NAME = "manifest.json"
TWINS = ".staged"
# While this file exists in the same folder, importing the package rebuilds it first.
REBUILD = "rebuild_at_import"

Row: TypeAlias = list[Any]
"""Size, time and kind of the copy, the same of its source, and the digest of both. While the file is
being written: what the copy may have been, and both digests."""
_MANIFEST: Record[dict[str, Any]] = Record(NAME, format=2)


@dataclass(frozen=True)
class Manifest:
    """The files that one build directory staged."""

    files: Mapping[str, Row] = field(default_factory=dict)
    """Rows by path in the source tree."""
    pythons: tuple[str, ...] = ()
    """The SOABI of each Python that files were staged for."""
    whole: bool = False
    """Whether both copies of the record agree."""
    moved_from: str = ""
    """The path of the build directory when this was written, if it was renamed since."""


def read_manifest(root: Path, build_dir: Path) -> Manifest:
    """Merge both copies of the record, which may differ after a killed build or a disk error."""
    own, twin = _own_record(root, build_dir), _record(twin_of(root, build_dir))
    rows = {**twin.get("files", {}), **own.get("files", {})}
    pythons = dict.fromkeys([*twin.get("pythons", ()), *own.get("pythons", ())])
    place = own.get("build", "")
    moved = place if place != _place(root, build_dir) else ""
    return Manifest(rows, tuple(pythons), bool(own) and own == twin, moved)


def twin_of(root: Path, build_dir: Path) -> Path:
    """Return the path of the copy of the record in the source tree."""
    return _twin(root, _place(root, build_dir))


def write_manifest(root: Path, build_dir: Path, manifest: Manifest) -> None:
    """Write the record to both places."""
    place = _place(root, build_dir)
    record = {
        "build": place,
        "root": str(root) if os.path.isabs(place) else "",
        "pythons": list(manifest.pythons),
        "files": manifest.files,
    }
    write_ignore_file(root / TWINS)
    _MANIFEST.write_file(_twin(root, place), record)
    _MANIFEST.write(build_dir, record)
    if manifest.moved_from:
        _twin(root, manifest.moved_from).unlink(missing_ok=True)


def remove_unfinished_twins(root: Path, build_dir: Path) -> None:
    """Delete what a killed build had written of this record in the source tree. The caller holds the lock."""
    twin = twin_of(root, build_dir)
    for path in twin.parent.glob(f".{twin.name}.*"):
        if is_temporary(path.name):
            path.unlink()


def delete_manifest(root: Path, build_dir: Path) -> None:
    """Delete the record; call this once its files are deleted."""
    _MANIFEST.delete(build_dir)
    twin_of(root, build_dir).unlink(missing_ok=True)
    if not list((root / TWINS).glob("*.json")):
        (root / TWINS / REBUILD).unlink(missing_ok=True)
    remove_ignored_folder(root / TWINS)


def rebuild_at_import(root: Path, wanted: bool) -> None:
    """Let imports from the source tree rebuild the package first, or not any more."""
    if wanted:
        write_ignore_file(root / TWINS)
        (root / TWINS / REBUILD).touch()
    else:
        (root / TWINS / REBUILD).unlink(missing_ok=True)


def staging_directories(root: Path) -> list[Path]:
    """Return the build directories that staged files into the source tree and still exist."""
    places = (root / record["build"] for record in _twins(root))
    return [place for place in places if place.is_dir()]


def staged_paths(root: Path, build_dir: Path) -> set[str]:
    """Return the paths that any build directory staged; such a file is not a source."""
    paths = set(_own_record(root, build_dir).get("files", {}))
    return paths.union(*(record["files"] for record in _twins(root)))


def staged_elsewhere(root: Path, build_dir: Path) -> dict[str, str]:
    """Map each path that other build directories staged to one of them."""
    place = _place(root, build_dir)
    moved = read_manifest(root, build_dir).moved_from
    return {
        path: record["build"]
        for record in _twins(root)
        if record["build"] not in (place, moved)
        for path in record["files"]
    }


def _own_record(root: Path, build_dir: Path) -> dict[str, Any]:
    """Return the record, or {} if this tree is a copy and the record belongs to the original."""
    record = _record(build_dir / NAME)
    place = _place(root, build_dir)
    if record and record["build"] != place and (root / record["build"]).exists():
        return {}
    return {} if record and record["root"] not in ("", str(root)) else record


def _twins(root: Path) -> Iterator[dict[str, Any]]:
    yield from filter(None, map(_record, sorted((root / TWINS).glob("*.json"))))


def _record(path: Path) -> dict[str, Any]:
    return _MANIFEST.read_file(path) or {}


def _place(root: Path, build_dir: Path) -> str:
    """Return the build directory's path, relative within the source tree so that both can be moved."""
    return str(build_dir.relative_to(root) if build_dir.is_relative_to(root) else build_dir)


def _twin(root: Path, place: str) -> Path:
    return root / TWINS / f"{digest_text(place)}.json"


def is_recorded_copy(place: Path, row: Row) -> bool:
    """Whether a file is the staged copy, by size and time, or by content if the tree was copied."""
    if place.is_symlink() or not place.is_file():
        return False
    return read_stat(str(place)) == row[:3] or digest_file(str(place)) in row[-1].split()
