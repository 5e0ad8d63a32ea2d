"""The package's files: where each lies, and the made ones copied into the source tree.

An editable install imports from the source tree, so libraries, extensions and generated Python files
are staged there, recorded in build/manifest.json; what is no longer made is deleted again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..code_generation.file_manager import remove_with_empty_parents
from ..errors import BuildError
from ..globs import find_files
from ..table.config import Config, FileRule
from ..table.config_reader import load
from ..table.options import Options
from ..table.predicates import evaluate
from ..tree import made_files
from ..tree.atomic import temporary_beside
from ..tree.sealed import read_sealed, write_sealed

PLAN = "package_plan.json"
MANIFEST = "manifest.json"


def package_files(config: Config, options: Options, build_dir: Path) -> dict[str, Path]:
    """Path in the package -> file on disk, for everything a wheel holds."""
    files: dict[str, Path] = {}
    for rule in config.packaging.files:
        if rule.when is None or evaluate(rule.when, options.values_and_facts()):
            files.update(_rule_files(config.root, rule, build_dir))
    files.update(built_files(build_dir))
    return dict(sorted(files.items()))


def built_files(build_dir: Path) -> dict[str, Path]:
    """What the build graph made or bundles: libraries and extensions. Nothing without a whole plan."""
    try:
        rows = json.loads((build_dir / PLAN).read_bytes())
        return {row["path"]: Path(row["source"]) for row in rows}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _rule_files(root: Path, rule: FileRule, build_dir: Path) -> dict[str, Path]:
    base = (build_dir if rule.generated else root) / rule.root
    staged = {} if rule.generated else read_manifest(build_dir)
    found = {}
    for path in find_files(base, rule.patterns, rule.exclude):
        if f"{rule.root}/{path}" not in staged:  # a staged file is not a source
            found[f"{rule.to}/{path}"] = base / path
    return found


def editable_files(config: Config, build_dir: Path) -> dict[str, Path]:
    """The made part of the package, which an editable install needs in the source tree."""
    files = built_files(build_dir)
    for rule in config.packaging.files:
        if rule.editable:
            files.update(_rule_files(config.root, rule, build_dir))
    return files


def read_manifest(build_dir: Path) -> dict[str, Any]:
    """Staged path -> [size, mtime_ns of the copy, size, mtime_ns of its source]."""
    manifest: dict[str, Any] = read_sealed(build_dir / MANIFEST) or {}
    return manifest


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
        return self.source is not None and self.source.is_file() and _same(self.source, self.place)

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


def stage(files: Mapping[str, Path], root: Path, build_dir: Path) -> tuple[list[str], list[str]]:
    """Copies what changed, deletes what is no longer made; returns both lists.

    The manifest first learns the names about to be written: a staging that is killed leaves no file
    that a later one, or `clean`, does not know.
    """
    known = read_manifest(build_dir)
    write_sealed(build_dir / MANIFEST, {**{path: [] for path in files}, **known})
    changed = []
    record = {}
    for path, source in files.items():
        target = root / path
        now = source.stat()
        up_to_date = bool(known.get(path)) and known[path] == _entry(target, now)
        if not up_to_date and copy_if_changed(source, target):
            changed.append(path)
        record[path] = _entry(target, now)
    gone = [path for path in known if path not in files]
    for path in gone:
        remove_with_empty_parents(root / path, root)
    write_sealed(build_dir / MANIFEST, record)
    return changed, gone


def _entry(target: Path, source: os.stat_result) -> list[int]:
    try:
        info = target.stat()
    except OSError:
        return []
    return [info.st_size, info.st_mtime_ns, source.st_size, source.st_mtime_ns]


def copy_if_changed(source: Path, target: Path) -> bool:
    """Copies beside the target and renames; an equal target keeps its mtime."""
    if target.is_file() and not target.is_symlink() and _same(source, target):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(temporary_beside(str(target)))
    try:
        shutil.copyfile(source, temporary)
        shutil.copymode(source, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return True


def _same(a: Path, b: Path) -> bool:
    if a.stat().st_size != b.stat().st_size:
        return False
    with a.open("rb") as x, b.open("rb") as y:
        while True:
            left = x.read(1 << 20)
            if left != y.read(1 << 20):
                return False
            if not left:
                return True


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
