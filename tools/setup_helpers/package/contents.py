"""What a package consists of: the source tree's files by the table's rules, and what the build made."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..globs import find_files, matches
from ..table.config import Config, FileRule
from ..table.options import Options
from ..table.predicates import evaluate
from .manifest import read_manifest

PLAN = "package_plan.json"


@dataclass(frozen=True)
class Contents:
    """Both map the path in the package, which is the path in the source tree, to where a file lies."""

    files: Mapping[str, Path]
    """All that a wheel holds."""
    editable: Mapping[str, Path]
    """The made part, which an editable install needs in the source tree."""


def list_contents(config: Config, options: Options, build_dir: Path) -> Contents:
    """Looks into every folder that the table names, once."""
    values = options.values_and_facts()
    listed = _listed(config, config.packaging.files, build_dir)
    files = [found for rule, found in listed if not rule.when or evaluate(rule.when, values)]
    editable = [found for rule, found in listed if rule.editable]
    built = built_files(build_dir)
    return Contents(dict(sorted(_union(*files, built).items())), _union(built, *editable))


def editable_files(config: Config, build_dir: Path) -> dict[str, Path]:
    """The made part alone."""
    return _union(built_files(build_dir), unbuilt_files(config, build_dir))


def unbuilt_files(config: Config, build_dir: Path) -> dict[str, Path]:
    """Of the made part what is there before the build graph runs: headers and generated files."""
    rules = (rule for rule in config.packaging.files if rule.editable)
    return _union(*(found for _, found in _listed(config, rules, build_dir)))


def built_files(build_dir: Path) -> dict[str, Path]:
    """What the build graph made or bundles: libraries and extensions. Nothing without a whole plan."""
    try:
        rows = json.loads((build_dir / PLAN).read_bytes())
        return {row["path"]: Path(row["source"]) for row in rows}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def may_gain(config: Config, outputs: Collection[str]) -> bool:
    """Whether files that the build graph made, by their paths in its folder, fit a rule."""
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
    staged = read_manifest(build_dir)
    listed = []
    for rule in rules:
        base = (build_dir if rule.generated else config.root) / rule.root
        found = {
            f"{rule.to}/{path}": Path(f"{base}/{path}")
            for path in find_files(base, rule.patterns, rule.exclude)
            if rule.generated or f"{rule.root}/{path}" not in staged  # a staged file is no source
        }
        listed.append((rule, found))
    return listed


def _union(*parts: Mapping[str, Path]) -> dict[str, Path]:
    return {path: file for part in parts for path, file in part.items()}
