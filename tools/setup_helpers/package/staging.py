"""The made files of the package copied into the source tree, from where an editable install imports them.

What was staged is recorded in the manifest; what is no longer made is deleted again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..code_generation.file_manager import remove_with_empty_parents
from ..errors import BuildError
from ..table.config_reader import load
from ..tree import made_files
from ..tree.atomic import temporary_beside
from .contents import editable_files
from .manifest import read_manifest, same_bytes, write_manifest

if TYPE_CHECKING:
    from ..tree.fingerprint import Entry


def stage(
    files: Mapping[str, Path],
    root: Path,
    build_dir: Path,
    seen: Mapping[str, Entry] | None = None,
) -> tuple[list[str], list[str]]:
    """Copies what changed, deletes what is no longer made; returns both lists.

    What was `seen` is not looked at again. The manifest first learns the names about to be written: a
    staging that is killed leaves no file that a later one, or `clean`, does not know.
    """
    known = read_manifest(build_dir)
    looks = seen or {}
    record = {}
    stale = []
    for path, source in files.items():
        target = f"{root}/{path}"
        row = [*_look(target, looks), *_look(str(source), looks)]
        record[path] = row
        if known.get(path) != row:
            stale.append(path)
    gone = [path for path in known if path not in files]
    if not stale and not gone:
        return [], []
    write_manifest(build_dir, {**{path: [] for path in stale}, **known})
    changed = [path for path in stale if not _is_copy(root / path, files[path], looks)]
    for path in changed:
        copy(files[path], root / path)
    for path in gone:
        remove_with_empty_parents(root / path, root)
    for path in stale:
        record[path] = [*_look(f"{root}/{path}", {}), *_look(str(files[path]), looks)]
    write_manifest(build_dir, record)
    return changed, gone


def _look(path: str, seen: Mapping[str, Entry]) -> list[int]:
    """Size and time; nothing of what is not there."""
    entry = seen.get(path)
    if entry is not None:
        return entry[:2] if entry[0] >= 0 else []
    try:
        info = os.stat(path)
    except FileNotFoundError:
        return []
    return [info.st_size, info.st_mtime_ns]


def _is_copy(target: Path, source: Path, seen: Mapping[str, Entry]) -> bool:
    """By the contents that were seen, else by the bytes; then the target keeps its time."""
    if target.is_symlink() or not target.is_file():
        return False
    looks = [seen.get(str(path)) for path in (target, source)]
    if looks[0] and looks[1]:
        return bool(looks[0][2] == looks[1][2])
    return same_bytes(source, target)


def copy(source: Path, target: Path) -> None:
    """Copies beside the target and renames."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(temporary_beside(str(target)))
    try:
        shutil.copyfile(source, temporary)
        shutil.copymode(source, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def main(arguments: list[str]) -> int:
    """Called by the build graph."""
    from ..terminal.printing import print_error

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parsed = parser.parse_args(arguments)
    try:
        config = load(parsed.source)
        stage(editable_files(config, parsed.build), parsed.source, parsed.build)
        made_files.end(parsed.build)
    except BuildError as error:
        print_error(error)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
