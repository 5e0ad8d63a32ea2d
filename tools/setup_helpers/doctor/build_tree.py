"""Does the build directory belong to this checkout, these compilers and this Ninja?"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from ..graph.cmake_cache import read_cache
from ..graph.configure import RECORD
from ..graph.object_files import compilers_of_objects
from ..graph.toolchain import find_tool, version_of
from .check import BUILD, Check, Finding, Machine, either, ok, skipped, warning

_AFRESH = f"python setup.py clean && {BUILD}"
_NOT_BUILT = "nothing is configured yet"


class Place(Check):
    """CMake remembers where it was configured; a tree that was moved or copied does not fit."""

    id = "place"
    looks_at = "the folders that the build directory was configured for"
    consequence = "cmake and ninja called by hand refuse it; setup.py configures it afresh"

    def examine(self, machine: Machine) -> Finding:
        cache = read_cache(machine.build_dir)
        if not cache:
            return skipped(_NOT_BUILT)
        if moved := _moved(machine, cache):
            return warning(moved, BUILD)
        return ok(f"made here, for {machine.root}")


class Tools(Check):
    """The versions that made the tree, beside those of today."""

    id = "tools"
    looks_at = "the compilers, CMake and Ninja that the build directory was configured with"
    consequence = (
        "the next build configures afresh; after another compiler, or another Ninja that cannot read "
        "the log, it makes everything again"
    )
    quick = True

    def examine(self, machine: Machine) -> Finding:
        try:
            known = json.loads((machine.build_dir / RECORD).read_bytes())
        except (OSError, ValueError):
            return skipped(_NOT_BUILT)
        tools = _tools(machine)
        other = [
            f"{name} was {known[name]}, is {version or 'not found'}"
            for name, version in tools.items()
            if known.get(name, version) != version
        ]
        for role, identity in machine.compiler_identities.items():
            if known.get(role, identity) != identity:
                other.append(_compiler_change(known[role], identity))
        if not other:
            return ok(", ".join(f"{name} {version}" for name, version in tools.items()))
        return warning("; ".join(other), BUILD)


class NinjaOnPath(Check):
    """The Ninja that a bare `ninja` runs, beside the one the build directory was made with."""

    id = "ninja-on-path"
    looks_at = "the Ninja on PATH, beside the one that CMake wrote the build directory for"
    consequence = "one version does not read the other's log, so each builds everything again"

    def examine(self, machine: Machine) -> Finding:
        made = read_cache(machine.build_dir).get("CMAKE_MAKE_PROGRAM", "")
        found = machine.programs.find("ninja")
        if not made or not found:
            return skipped(_NOT_BUILT if not made else "there is no ninja on PATH")
        versions = version_of(made, machine.programs) or "gone", version_of(found, machine.programs)
        if versions[0] == versions[1]:
            return ok(f"both are {versions[0]}")
        return warning(
            f"{made} is {versions[0]}, {found} is {versions[1]}",
            f"take one of them off PATH, then: {BUILD}",
        )


class Objects(Check):
    """The compiler's name in every object file."""

    id = "objects"
    looks_at = "the compiler that each object file says it was made by"
    consequence = "code of two compilers is linked together: crashes that no rebuild explains"

    def examine(self, machine: Machine) -> Finding:
        counts = compilers_of_objects(machine.build_dir)
        if not counts:
            return skipped("nothing is compiled yet")
        if len(counts) == 1:
            return ok(f"{sum(counts.values())} by {next(iter(counts))}")
        return warning(
            "; ".join(f"{count} by {name}" for name, count in sorted(counts.items())), _AFRESH
        )


class LinkInputs(Check):
    """Libraries outside the tree that the build graph names must still be there."""

    id = "link-inputs"
    looks_at = "the libraries outside the build directory that build.ninja names"
    consequence = "Ninja stops: missing and no known rule to make it"

    def examine(self, machine: Machine) -> Finding:
        try:
            text = (machine.build_dir / "build.ninja").read_text(errors="replace")
        except OSError:
            return skipped(_NOT_BUILT)
        if moved := _moved(machine, read_cache(machine.build_dir)):
            return skipped(f"{moved}: its paths are those of another place")
        found = re.findall(r"(?<=[ :|])/(?:[^\s$]|\$.)+?\.(?:so[.0-9]*|a)(?=[\s|])", text)
        paths = {re.sub(r"\$(.)", r"\1", path) for path in found}
        outside = {p for p in paths if not p.startswith(f"{machine.build_dir}/")}
        gone = sorted(p for p in outside if not os.path.exists(p))
        if not gone:
            return ok(f"{len(outside)} are there")
        return warning(
            f"missing: {', '.join(gone)}",
            either(f"install {Path(gone[0]).name} again", machine.with_option("fresh", "1")),
        )


def _tools(machine: Machine) -> Mapping[str, str]:
    project = machine.config.project
    tools = {
        name: find_tool(name, minimum, machine.programs)
        for name, minimum in (("cmake", project.cmake_minimum), ("ninja", project.ninja_minimum))
    }
    return {name: tool.version if tool else "" for name, tool in tools.items()}


def _compiler_change(known: str, now: str) -> str:
    """Identities end in a digest of what the compiler says of itself."""
    old, new = known.rpartition(" ")[0], now.rpartition(" ")[0]
    return f"{new} is another version" if old == new else f"the compiler was {old}, is {new}"


def _moved(machine: Machine, cache: Mapping[str, str]) -> str:
    """Where the build directory was configured, when that was not here."""
    then = cache.get("CMAKE_HOME_DIRECTORY", ""), cache.get("CMAKE_CACHEFILE_DIR", "")
    for old, new in zip(then, (machine.root, machine.build_dir), strict=True):
        if old and not _same_folder(old, new):
            return f"made for {old}, and is now {new}"
    return ""


def _same_folder(one: str, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
