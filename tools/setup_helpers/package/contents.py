"""List the files of a package: sources selected by the table's rules, and outputs of the build.

The table must hold only the rules of this configuration (Config.under), also for an editable install.
Their fingerprints are taken before Ninja runs, and again of files that it or staging wrote.
"""

from __future__ import annotations

import json
import os
import sysconfig
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.fingerprint import snapshot
from tools.base.generation import recorded_outputs
from tools.base.globs import find_files, matches, searched_folders
from tools.base.ninja_manifest import NAME as MANIFEST
from tools.base.store import build_file

from ..table.config import Config, FileRule
from ..table.targets import Wheel
from .manifest import staged_paths

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry

PLAN = build_file("package_plan.json")


@dataclass(frozen=True)
class Contents:
    """The files of a package: path in the package (and in the source tree) -> file on disk."""

    files: Mapping[str, Path]
    """All files of a wheel."""
    editable: Mapping[str, Path]
    """The generated and built files, which an editable install needs in the source tree."""
    libraries: Mapping[str, Path] = field(default_factory=dict)
    """Those of `files` that do not depend on Python: the files of a library wheel."""
    further: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    """The extension modules and libraries for each further Python, by its SOABI."""

    @property
    def audited(self) -> dict[str, Path]:
        """The files for all Pythons."""
        return _union(self.files, *self.further.values())

    def for_python(self, soabi: str) -> dict[str, Path]:
        """Return all files of a wheel for one of the Pythons."""
        if soabi not in self.further:
            return dict(self.files)
        own = f".{_running_soabi()}."
        shared = {name: path for name, path in self.files.items() if own not in name}
        return dict(sorted(_union(shared, self.further[soabi]).items()))


def list_contents(config: Config, build_dir: Path) -> Contents:
    """List the files of the package; reads each folder that the table names once."""
    listed = _listed(config, config.packaging.files, build_dir)
    files = [found for _, found in listed]
    editable = [found for rule, found in listed if rule.editable]
    without_python = [found for rule, found in listed if rule.wheel is Wheel.LIBRARY]
    rows, this = _plan(build_dir), _running_soabi()
    built = {row.path: row.source for row in rows if row.python in ("", this)}
    libraries = {row.path: row.source for row in rows if row.wheel is Wheel.LIBRARY}
    further: dict[str, dict[str, Path]] = {}
    for row in rows:
        if row.python not in ("", this):
            further.setdefault(row.python, {})[row.path] = row.source
    packed = dict(sorted(_union(*files, built).items()))
    independent = _union(libraries, *without_python).keys()
    return Contents(
        packed,
        _union(built, *editable),
        {name: path for name, path in packed.items() if name in independent},
        further,
    )


@dataclass(frozen=True)
class _PlannedFile:
    """A file that the build graph makes or bundles."""

    path: str
    source: Path
    wheel: Wheel
    python: str
    """The SOABI of the Python that it was built for; empty if it does not depend on one."""


def _plan(build_dir: Path) -> list[_PlannedFile]:
    """Read the plan; nothing without a valid one."""
    try:
        rows = json.loads((build_dir / PLAN).read_bytes())
        return [
            _PlannedFile(r["path"], Path(r["source"]), Wheel(r["wheel"]), r["python"]) for r in rows
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _running_soabi() -> str:
    return str(sysconfig.get_config_var("SOABI"))


def editable_files(config: Config, build_dir: Path) -> dict[str, Path]:
    """List only the files that an editable install needs in the source tree."""
    rules = (rule for rule in config.packaging.files if rule.editable)
    listed = (found for _, found in _listed(config, rules, build_dir))
    return _union(built_files(build_dir), *listed)


def searched_for_package(config: Config, build_dir: Path) -> Iterator[str]:
    """Yield the folders in which a new file may become an editable file."""
    for rule in config.packaging.files:
        if rule.editable:
            yield from searched_folders(_base(config, rule, build_dir), rule.patterns)


def built_files(build_dir: Path) -> dict[str, Path]:
    """List the libraries and extensions that the build graph makes or bundles for this Python."""
    this = _running_soabi()
    return {row.path: row.source for row in _plan(build_dir) if row.python in ("", this)}


def built_sizes(build_dir: Path) -> dict[str, int]:
    """Return the bytes of each file that the build graph builds, by its path in the package."""
    return {p: f.stat().st_size for p, f in built_files(build_dir).items() if f.exists()}


def may_gain(config: Config, outputs: Collection[str]) -> bool:
    """Whether any output of the build graph, by its path in the build directory, matches a file rule."""
    return any(
        path.startswith(f"{rule.root}/")
        and matches(path.removeprefix(f"{rule.root}/"), rule.patterns)
        for rule in config.packaging.files
        if rule.generated
        for path in outputs
    )


def _listed(
    config: Config, rules: Iterable[FileRule], build_dir: Path
) -> list[tuple[FileRule, dict[str, Path]]]:
    staged = staged_paths(config.root, build_dir)
    listed = []
    for rule in rules:
        base = _base(config, rule, build_dir)
        found = {
            f"{rule.to}/{path}": Path(f"{base}/{path}")
            for path in find_files(base, rule.patterns, rule.exclude)
            if rule.generated
            or f"{rule.root}/{path}" not in staged  # a staged file is not a source
        }
        listed.append((rule, found))
    return listed


def _base(config: Config, rule: FileRule, build_dir: Path) -> Path:
    return (build_dir if rule.generated else config.root) / rule.root


def _union(*parts: Mapping[str, Path]) -> dict[str, Path]:
    return {path: file for part in parts for path, file in part.items()}


class Inventory:
    """The files of a package with their fingerprints, taken once and shared by all later steps."""

    def __init__(self, config: Config, build_dir: Path, known: Mapping[str, Entry]) -> None:
        """Take the inventory; files with the size and time that `known` records are not read.

        An edit while Ninja runs is thus left to the next build. `refresh` adds Ninja's outputs.
        """
        self._config = config
        self._build_dir = build_dir
        self._known = known
        self._take()

    def _take(self) -> None:
        self.contents = list_contents(self._config, self._build_dir)
        self._built = {str(row.source) for row in _plan(self._build_dir)}
        generated = (f"{self._build_dir}/{path}" for path in recorded_outputs(self._build_dir))
        copies = (f"{self._config.package_root}/{path}" for path in self.contents.editable)
        sources = map(str, self.contents.editable.values())
        paths = dict.fromkeys([*generated, *sources, *copies])
        unbuilt = [path for path in paths if path not in self._built]
        self.entries: dict[str, Entry] = snapshot(unbuilt, self._known)

    def refresh(self, outputs: Collection[str]) -> None:
        """Update the inventory after Ninja made these outputs, named as in its log."""
        if MANIFEST in outputs or may_gain(
            self._config, outputs
        ):  # the package may have other files
            self._take()
        self.entries |= snapshot(list(self._built), self._known)

    def add_copies(self, paths: Iterable[str]) -> None:
        """Add the files that staging copied; their content is that of their sources."""
        known = {}
        for path in paths:
            source = self.entries[str(self.contents.editable[path])]
            copy = f"{self._config.package_root}/{path}"
            known[copy] = [source[0], os.stat(copy).st_mtime_ns, *source[2:]]
        self.entries |= snapshot(list(known), known)
