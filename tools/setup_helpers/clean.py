"""Delete the files that builds made: by their records, never by a pattern, and never through a link."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.base.cmake_text import read_cache
from tools.base.generation import recorded_outputs
from tools.base.globs import files_below
from tools.base.ninja_log import read_entries
from tools.base.ninja_manifest import read_edges
from tools.base.store import declared_files

# Their modules and those that they import declare the files that clean deletes.
from . import pipeline  # noqa: F401
from .package import audit  # noqa: F401
from .package.manifest import (
    Row,
    delete_manifest,
    is_recorded_copy,
    read_manifest,
    remove_unfinished_twins,
    staged_elsewhere,
)
from .package.staging_tree import NAME as STAGING_TREE
from .package.staging_tree import remove_links
from .state.folders import delete_ignore_file, made_files, remove_leftovers
from .state.lock import NAME as LOCK
from .state.lock import BuildLock, command_line
from .table.config import Config

# Files that earlier versions of the front end left in a build directory.
_FORMER_FILES = ("generation.lock", "generation.pending", "last_build.json")
# A message names at most this many of the files that were kept.
_SHOWN = 8


@dataclass
class _Deleter:
    """Deletes files below one folder, and counts them."""

    base: Path
    deleted: int = 0
    kept: list[str] = field(default_factory=list)
    """Paths behind a link, and links that lead out of the folder."""

    def delete(self, paths: Iterable[str]) -> None:
        """Delete paths relative to the base, and the folders that become empty."""
        for path in sorted(paths, reverse=True):
            place = self.base / path
            if ".." in Path(path).parts or any(
                parent.is_symlink() for parent in self._above(place)
            ):
                self.kept.append(path)
            elif path.endswith("/"):
                self._remove_empty(place)
            elif place.is_symlink() and self.base not in place.resolve().parents:
                self.kept.append(path)
            elif place.is_symlink() or place.is_file():
                place.unlink()
                self.deleted += 1
            for parent in self._above(place):
                if not self._remove_empty(parent):
                    break

    def _above(self, place: Path) -> Iterator[Path]:
        """Yield the folders between a file and the base, innermost first."""
        for parent in place.parents:
            if parent == self.base:
                return
            yield parent

    @staticmethod
    def _remove_empty(folder: Path) -> bool:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True


def clean_tree(config: Config, build_dir: Path, *, wait: bool = False) -> str:
    """Delete the files of builds; return a note on what was done."""
    places = [config.root]
    if (build_dir / STAGING_TREE).is_dir():  # the source tree could not be written then
        places.append(build_dir / STAGING_TREE)
    staged = [read_manifest(place, build_dir).files for place in places]
    if not build_dir.exists() and not any(staged):
        return "nothing to delete"
    with BuildLock(str(build_dir), command_line(), wait=wait):
        packages = [_Deleter(place) for place in places]
        counts: Counter[str] = Counter()
        for package, rows in zip(packages, staged, strict=True):
            remove_leftovers(package.base, files_below(build_dir), rows)
            remove_unfinished_twins(package.base, build_dir)
            shared = staged_elsewhere(package.base, build_dir)
            counts.update(name for path, name in shared.items() if path in rows)
            _delete_staged(package, {p: row for p, row in rows.items() if p not in shared})
            if package.base != config.root:
                package.delete(remove_links(config, package.base))
            delete_manifest(package.base, build_dir)
        products = _Deleter(build_dir)
        products.delete({*_graph_outputs(build_dir), *recorded_outputs(build_dir)})
        products.delete({*made_files(build_dir), f"{STAGING_TREE}/"})
        products.delete({*_FORMER_FILES, *declared_files()})
        delete_ignore_file(build_dir)
        (build_dir / LOCK).unlink(missing_ok=True)
    kept = [path for package in packages for path in package.kept]
    kept += [f"{build_dir.name}/{name}" for name in _entries(build_dir)]
    if not any(build_dir.iterdir()) and not build_dir.is_symlink():
        build_dir.rmdir()
    deleted = sum(package.deleted for package in packages)
    summary = f"{products.deleted} files of {build_dir.name}/ and {deleted} staged files deleted"
    summary += "".join(f"; kept {count} also staged for {name}" for name, count in counts.items())
    kept.sort()
    more = f" and {len(kept) - _SHOWN} more" if len(kept) > _SHOWN else ""
    if kept:
        summary += f"; kept files that no build made: {', '.join(kept[:_SHOWN])}{more}"
    return summary


def _delete_staged(package: _Deleter, rows: Mapping[str, Row]) -> None:
    """Delete the files that are still the recorded copies."""
    ours = [path for path, row in rows.items() if is_recorded_copy(package.base / path, row)]
    package.delete(ours)
    package.kept += [p for p in rows.keys() - set(ours) if os.path.lexists(package.base / p)]


def _entries(build_dir: Path) -> list[str]:
    return sorted(path.name for path in build_dir.iterdir())


def _graph_outputs(build_dir: Path) -> set[str]:
    """Return the outputs that Ninja would make here or has made before."""
    made = {entry.output for entry in read_entries(build_dir)} | _planned_outputs(build_dir)
    made |= {
        edge.variables["depfile"] for edge in read_edges(build_dir) if "depfile" in edge.variables
    }
    prefix = f"{build_dir}/"
    return {path.removeprefix(prefix) for path in made if path[0] != "/" or path.startswith(prefix)}


def _planned_outputs(build_dir: Path) -> set[str]:
    """Return the outputs in the graph; none if it cannot be read, since the log lists those that were made."""
    ninja = read_cache(build_dir).get("CMAKE_MAKE_PROGRAM", "ninja")
    try:
        command = [ninja, "-t", "targets", "all"]
        result = subprocess.run(command, cwd=build_dir, capture_output=True, text=True, check=False)
    except OSError:
        return set()
    rows = (line.rpartition(": ") for line in result.stdout.splitlines())
    return {output for output, _, rule in rows if output and rule != "phony"}
