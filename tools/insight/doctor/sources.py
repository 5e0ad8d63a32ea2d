"""Check that the checkout is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import tomllib

from .check import Check, Finding, Machine, ok, problem, skipped


class Sources(Check):
    """Check every file and folder that the table takes sources from."""

    id = "sources"
    looks_at = "the files and folders that build_config.toml takes sources from"
    consequence = "part of the package cannot be built, or is silently missing"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        places = dict.fromkeys(_places(machine))
        missing = {place: state for place in places if (state := _state(machine.root / place))}
        if not missing:
            if mistake := _mistake_in_toml(machine.root / "pyproject.toml"):
                return problem(mistake, "correct it, or restore it: git checkout -- pyproject.toml")
            return ok(f"all {len(places)} files and folders exist")
        named = ", ".join(f"{place} {state}" for place, state in missing.items())
        return problem(named, _restore(machine.root, list(missing)))


class Submodules(Check):
    """Check every folder that .gitmodules names."""

    id = "submodules"
    looks_at = "the folders that .gitmodules names"
    consequence = "third-party sources are missing, and configuring stops at the first of them"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        try:
            text = (machine.root / ".gitmodules").read_text(encoding="utf-8")
        except OSError:
            return skipped("there are no submodules")
        folders = re.findall(r"^\s*path\s*=\s*(\S.*?)\s*$", text, re.MULTILINE)
        empty = [f for f in folders if not _has_file(machine.root / f)]
        if not empty:
            return ok(f"all {len(folders)} exist")
        return problem(
            f"missing or empty: {', '.join(empty)}", "git submodule update --init --recursive"
        )


def _places(machine: Machine) -> Iterator[str]:
    """Yield relative paths: files, and for patterns the folder before the first wildcard."""
    for pattern in _patterns(machine):
        fixed = re.split(r"[*?]", pattern, maxsplit=1)[0]
        yield pattern if fixed == pattern else fixed.rpartition("/")[0] or "."


def _patterns(machine: Machine) -> Iterator[str]:
    config = machine.config
    yield from config.project.inputs
    for stage in config.stages:
        if not stage.planned and machine.meets(stage.when):
            yield from stage.inputs
    for library in config.libraries:
        if not library.planned and machine.meets(library.when):
            yield from (*library.sources, *library.kernels)
            for group in library.groups:
                if machine.meets(group.when):
                    yield from group.sources
    for program in config.programs:
        if not program.planned and machine.meets(program.when):
            yield from program.sources
    for extension in config.extensions:
        if not extension.planned and machine.meets(extension.when):
            yield from extension.sources


def _state(place: Path) -> str:
    """Describe what is wrong with a file or folder; empty when nothing is."""
    if not place.exists():
        return "is missing"
    return "is empty" if place.is_dir() and not _has_file(place) else ""


def _mistake_in_toml(file: Path) -> str:
    """Return why the file cannot be read; empty if it can."""
    try:
        tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return f"{file.name}: {error}"
    return ""


def _has_file(folder: Path) -> bool:
    return folder.is_dir() and any(path.is_file() for path in folder.rglob("*"))


def _restore(root: Path, places: list[str]) -> str:
    if (root / ".git").exists():
        return f"git checkout -- {' '.join(places)}"
    return "unpack the source archive again"
