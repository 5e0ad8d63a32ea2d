"""The folder that an editable install imports from when the source tree cannot be written.

`editable/` of the build directory then holds the staged files, which otherwise go into the source tree, and
a link to each source of the package. Edits that reach the sources by another way take effect at the next
import, files that were added or removed after the next `develop`. Files are linked rather than folders,
since Python writes bytecode next to the path that it imports.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from ..table.config import Config
from .manifest import staged_paths

NAME = "editable"
_BYTECODE = "__pycache__"


def with_staging_tree(config: Config, build_dir: Path) -> Config:
    """Return the table with the staging tree set, if the source tree cannot be written."""
    if os.access(config.root, os.W_OK) or build_dir.is_relative_to(config.root):
        return config
    return replace(config, staging=build_dir / NAME)


def link_sources(config: Config, build_dir: Path, made: Collection[str]) -> None:
    """Link the package's sources in the staging tree, and remove links to deleted ones.

    `made` holds the paths of the staged files.
    """
    made = {*made, *staged_paths(config.root, build_dir)}
    package = config.root / config.project.package
    wanted = {str(path.relative_to(config.root)) for path in _files(package)}.difference(made)
    present = set(_links(config, config.package_root))
    for path in sorted(wanted - present):
        link = config.package_root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(config.root / path)
    for path in present - wanted:
        (config.package_root / path).unlink()


def remove_links(config: Config, tree: Path) -> list[str]:
    """Remove the links to sources; return their paths and those of the bytecode that imports left."""
    paths = list(_links(config, tree))
    for path in paths:
        (tree / path).unlink()
    for folder in (tree / config.project.package).rglob(_BYTECODE):
        paths += [str(file.relative_to(tree)) for file in folder.iterdir()]
        paths.append(f"{folder.relative_to(tree)}/")
    return paths


def source_folders(config: Config) -> list[str]:
    """Return the folders in which a new source of the package may appear."""
    package = config.root / config.project.package
    return [str(package), *sorted({str(path.parent) for path in _files(package)} - {str(package)})]


def _links(config: Config, tree: Path) -> Iterator[str]:
    """Yield the paths of the links that lead into the source tree."""
    for path in _files(tree / config.project.package):
        if path.is_symlink() and os.readlink(path).startswith(f"{config.root}/"):
            yield str(path.relative_to(tree))


def _files(package: Path) -> Iterator[Path]:
    """Yield all files below the package, except bytecode."""
    for folder, folders, names in os.walk(package):
        folders[:] = [name for name in folders if name != _BYTECODE]
        yield from (Path(folder, name) for name in names)
