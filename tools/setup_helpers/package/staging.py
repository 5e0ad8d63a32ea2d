"""Copy generated and built files into the source tree, where an editable install imports them.

The manifest records the copies of each build directory; copies without a source are deleted.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base import fingerprint
from tools.base.atomic import temporary_path
from tools.base.errors import BuildError
from tools.base.file_manager import remove_with_empty_parents
from tools.base.ninja_manifest import finish_step
from tools.base.store import build_file

from ..env.record import OPTIONS_RECORD, recorded_values
from ..state.folders import record_made_files
from ..table.config import CONFIG_FILE
from ..table.config_reader import load
from .contents import editable_files, searched_for_package
from .manifest import NAME as MANIFEST
from .manifest import Row, is_recorded_copy, read_manifest, staged_elsewhere, write_manifest
from .staging_tree import link_sources, source_folders, with_staging_tree

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry

    from ..table.config import Config

_STAMP = build_file("stage.stamp")
build_file(f"{_STAMP}.d")


def stage(
    files: Mapping[str, Path],
    root: Path,
    build_dir: Path,
    seen: Mapping[str, Entry] | None = None,
) -> tuple[list[str], list[str]]:
    """Copy changed files and delete copies that are no longer made; return both lists.

    Files in `seen` are not examined again.
    """
    manifest = read_manifest(root, build_dir)
    known, pythons = manifest.files, _with_this_python(manifest.pythons)
    entries = seen or {}
    rows = _unchanged(files, known, root, entries)
    outdated = {p: _source_part(source, entries) for p, source in files.items() if p not in rows}
    others, stale = _without_source(files, known, pythons)
    if manifest.whole and pythons == manifest.pythons and not outdated and not stale:
        return [], []
    in_progress = {
        **known,
        **{path: _row_in_progress(known.get(path), row) for path, row in outdated.items()},
    }
    write_manifest(root, build_dir, replace(manifest, files=in_progress, pythons=pythons))
    changed = [
        path for path, row in outdated.items() if _copy_if_changed(root / path, files[path], row)
    ]
    rows |= {
        path: [*fingerprint.read_stat(f"{root}/{path}"), *row] for path, row in outdated.items()
    }
    rows |= {path: known[path] for path in others}
    deleted = _delete({path: known[path] for path in stale}, root, build_dir)
    write_manifest(root, build_dir, replace(manifest, files=rows, pythons=pythons))
    return changed, deleted


def planned_copies(
    files: Mapping[str, Path], root: Path, build_dir: Path
) -> tuple[list[str], list[str]]:
    """Return the copies that `stage` would write and those that it would delete, without doing either."""
    manifest = read_manifest(root, build_dir)
    rows = _unchanged(files, manifest.files, root, {})
    written = [
        path
        for path, source in files.items()
        if path not in rows
        and fingerprint.digest_file(f"{root}/{path}") != fingerprint.digest_file(str(source))
    ]
    _, stale = _without_source(files, manifest.files, _with_this_python(manifest.pythons))
    return written, stale


def _unchanged(
    files: Mapping[str, Path], known: Mapping[str, Row], root: Path, seen: Mapping[str, Entry]
) -> dict[str, Row]:
    """Return the rows of copies that are as recorded, like their sources."""
    rows = {}
    for path, source in files.items():
        row = known.get(path)
        state = [*_read_state(f"{root}/{path}", seen), *_read_state(str(source), seen)]
        if row and row[:-1] == state:
            rows[path] = row
    return rows


def _without_source(
    files: Mapping[str, Path], known: Mapping[str, Row], pythons: tuple[str, ...]
) -> tuple[list[str], list[str]]:
    """Return the recorded copies that another Python's build made, and those that nothing makes any more."""
    gone = [path for path in known if path not in files]
    others = [path for path in gone if _of_other_python(path, pythons)]
    return others, [path for path in gone if path not in others]


def _with_this_python(pythons: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*pythons, str(sysconfig.get_config_var("SOABI"))]))


def _of_other_python(path: str, pythons: Iterable[str]) -> bool:
    this = sysconfig.get_config_var("SOABI")
    return any(f".{python}." in path for python in pythons if python != this)


def _delete(rows: Mapping[str, Row], root: Path, build_dir: Path) -> list[str]:
    """Delete files that are still the staged copies and that no other build directory staged."""
    elsewhere = staged_elsewhere(root, build_dir) if rows else {}
    deleted = []
    for path, row in rows.items():
        if path not in elsewhere and is_recorded_copy(root / path, row):
            remove_with_empty_parents(root / path, root)
            deleted.append(path)
    return deleted


def _read_state(path: str, seen: Mapping[str, Entry]) -> list[int]:
    """Return size, time and kind; empty for a missing file."""
    entry = seen.get(path)
    if entry is None:
        return fingerprint.read_stat(path)
    return [*entry[:2], entry[3]] if entry[0] >= 0 else []


def _source_part(source: Path, seen: Mapping[str, Entry]) -> Row:
    """Describe a source before it is copied, so that an edit during the copy is noticed later."""
    state = fingerprint.read_stat(str(source))
    entry = seen.get(str(source))
    is_seen = entry is not None and _read_state(str(source), seen) == state
    return [*state, entry[2] if entry and is_seen else fingerprint.digest_file(str(source))]


def _row_in_progress(known: Row | None, row: Row) -> Row:
    """Return the row of a file about to be written: after a kill it may have either content."""
    return [*known[:-1], f"{known[-1]} {row[-1]}"] if known else [0, 0, 0, *row]


def _copy_if_changed(target: Path, source: Path, row: Row) -> bool:
    """Copy unless the target already has the content, and keeps its time. Return whether it was copied."""
    size, _, *kind = fingerprint.read_stat(str(target)) or [-1, 0]
    state, digest = row[:-1], row[-1]
    if [size, *kind] == [state[0], *state[2:]] and fingerprint.digest_file(str(target)) == digest:
        return False
    copy(source, target)
    return True


def copy(source: Path, target: Path) -> None:
    """Copy to a temporary file next to the target, then rename it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(temporary_path(str(target)))
    try:
        shutil.copyfile(source, temporary)
        shutil.copymode(source, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _dependencies(config: Config, files: Mapping[str, Path], build_dir: Path) -> Iterator[str]:
    """Yield the sources and copies, the folders where one may appear, and what decides which they are.

    The folder of a copy tells when a link took its place.
    """
    copies = [f"{config.package_root}/{path}" for path in files]
    yield from copies
    yield from source_folders(config) if config.staging else ()
    yield from {os.path.dirname(path) for path in copies}
    yield from map(str, files.values())
    yield from searched_for_package(config, build_dir)
    yield f"{build_dir}/{MANIFEST}"
    yield str(config.root / CONFIG_FILE)
    yield OPTIONS_RECORD.path(build_dir)


def _create_bytecode_folders(folders: Iterable[str]) -> None:
    """Create the folder that the first import would create: it would change the time of a dependency."""
    for folder in folders:
        if any(name.endswith(".py") for name in os.listdir(folder)):
            os.makedirs(f"{folder}/__pycache__", exist_ok=True)


def main(arguments: list[str]) -> int:
    """Run staging as a step of the build graph; return the exit code."""
    from tools.base.console import report

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--stamp", required=True, help="the step of the build graph that runs this")
    parsed = parser.parse_args(arguments)
    build_dir = parsed.build
    try:
        config = load(parsed.source)
        config = with_staging_tree(config.under(recorded_values(config, build_dir)), build_dir)
        root, files = config.package_root, editable_files(config, build_dir)
        stage(files, root, build_dir)
        if config.staging:
            link_sources(config, build_dir, files)
        record_made_files(build_dir)
        _create_bytecode_folders({os.path.dirname(f"{root}/{path}") for path in files})
        finish_step(build_dir, parsed.stamp, _dependencies(config, files, build_dir))
    except (BuildError, OSError) as error:
        return report(error)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
