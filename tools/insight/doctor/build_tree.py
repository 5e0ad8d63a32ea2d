"""Check that the build directory belongs to this checkout, these compilers and this Ninja."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from tools.base.cmake_text import read_cache
from tools.setup_helpers.cmake.configure import CONFIGURED
from tools.setup_helpers.cmake.object_files import compilers_of_objects
from tools.setup_helpers.probes.build_tool import find_tool, version_of

from .check import BUILD, Check, Finding, Machine, either, ok, skipped, warning

_CLEAN_BUILD = f"python setup.py clean && {BUILD}"
_NOT_BUILT = "nothing is configured yet"
# In build.ninja: the absolute path of a library, and the outputs of an edge (`$` escapes a character).
_LIBRARY = re.compile(r"(?<=[ :|])/(?:[^\s$]|\$.)+?\.(?:so[.0-9]*|a)(?=[\s|]|$)")
_OUTPUTS = re.compile(r"^build((?:[^:$\n]|\$.)+):", re.MULTILINE)


class Place(Check):
    """CMake records where it was configured, so a tree that was moved or copied does not fit."""

    id = "place"
    looks_at = "the folders that the build directory was configured for"
    consequence = (
        "cmake and ninja refuse it when called by hand; setup.py configures it from scratch"
    )

    def examine(self, machine: Machine) -> Finding:
        cache = read_cache(machine.build_dir)
        if not cache:
            return skipped(_NOT_BUILT)
        if moved := _moved(machine, cache):
            return warning(moved, BUILD)
        return ok(f"configured here, for {machine.root}")


class Tools(Check):
    """Compare the tool versions that configured the tree with the current ones."""

    id = "tools"
    looks_at = "the compilers, CMake and Ninja that the build directory was configured with"
    consequence = (
        "the next build configures from scratch; after a change of compiler, or of Ninja to a version "
        "that cannot read the log, it rebuilds everything"
    )
    quick = True

    def examine(self, machine: Machine) -> Finding:
        known = CONFIGURED.read(machine.build_dir)
        if known is None:
            return skipped(_NOT_BUILT)
        tools = _tools(machine)
        other = [
            f"{name} was {known[name]}, is {version or 'not found'}"
            for name, version in tools.items()
            if known.get(name, version) != version
        ]
        identities = machine.compiler_identities
        for language in machine.languages:
            name, identity = language.display_name, identities.get(language.name, "")
            if identity and known.get(name, identity) != identity:
                other.append(_compiler_change(known[name], identity))
        if not other:
            return ok(", ".join(f"{name} {version}" for name, version in tools.items()))
        return warning("; ".join(other), BUILD)


class NinjaOnPath(Check):
    """Compare the Ninja on PATH with the one that the build directory was configured for."""

    id = "ninja-on-path"
    looks_at = "the Ninja on PATH and the one that CMake configured the build directory for"
    consequence = "the versions cannot read each other's logs, so each one rebuilds everything"

    def examine(self, machine: Machine) -> Finding:
        configured = read_cache(machine.build_dir).get("CMAKE_MAKE_PROGRAM", "")
        found = machine.programs.find("ninja")
        if not configured or not found:
            return skipped(_NOT_BUILT if not configured else "there is no ninja on PATH")
        versions = (
            version_of(configured, machine.programs) or "gone",
            version_of(found, machine.programs),
        )
        if versions[0] == versions[1]:
            return ok(f"both are {versions[0]}")
        return warning(
            f"{configured} is {versions[0]}, {found} is {versions[1]}",
            f"remove one of them from PATH, then run: {BUILD}",
        )


class Objects(Check):
    """Compare the compiler names that are recorded in the object files."""

    id = "objects"
    looks_at = "the compiler that is recorded in each object file"
    consequence = (
        "code from two compilers is linked together, which can crash for no visible reason"
    )

    def examine(self, machine: Machine) -> Finding:
        counts = compilers_of_objects(machine.build_dir)
        if not counts:
            return skipped("nothing is compiled yet")
        if len(counts) == 1:
            return ok(f"{sum(counts.values())} by {next(iter(counts))}")
        return warning(
            "; ".join(f"{count} by {name}" for name, count in sorted(counts.items())), _CLEAN_BUILD
        )


class LinkInputs(Check):
    """Check that the libraries outside the tree that the build graph names still exist."""

    id = "link-inputs"
    looks_at = "the libraries outside the build directory that build.ninja names"
    consequence = "Ninja stops with 'missing and no known rule to make it'"

    def examine(self, machine: Machine) -> Finding:
        try:
            text = (machine.build_dir / "build.ninja").read_text(errors="replace")
        except OSError:
            return skipped(_NOT_BUILT)
        if moved := _moved(machine, read_cache(machine.build_dir)):
            return skipped(f"{moved}: its paths belong to the old folder")
        outside = {
            path
            for path in _libraries(text) - _libraries("\n".join(_OUTPUTS.findall(text)))
            if not path.startswith(f"{machine.build_dir}/")
        }
        gone = sorted(p for p in outside if not os.path.exists(p))
        if not gone:
            return ok(f"all {len(outside)} exist")
        return warning(
            f"missing: {', '.join(gone)}",
            either(f"reinstall {Path(gone[0]).name}", machine.with_option("fresh", "1")),
        )


def _libraries(text: str) -> set[str]:
    return {re.sub(r"\$(.)", r"\1", path) for path in _LIBRARY.findall(text)}


def _tools(machine: Machine) -> Mapping[str, str]:
    tools = {
        name: find_tool(name, minimum, machine.programs)
        for name, minimum in machine.config.project.tools.items()
    }
    return {name: tool.version if tool else "" for name, tool in tools.items()}


def _compiler_change(known: str, now: str) -> str:
    """Describe the change between two identities, which end in a digest of the version output."""
    old, new = known.rpartition(" ")[0], now.rpartition(" ")[0]
    return f"{new} is another version" if old == new else f"the compiler was {old}, is {new}"


def _moved(machine: Machine, cache: Mapping[str, str]) -> str:
    """Describe where the build directory was configured, if that was in another folder."""
    then = cache.get("CMAKE_HOME_DIRECTORY", ""), cache.get("CMAKE_CACHEFILE_DIR", "")
    for old, new in zip(then, (machine.root, machine.build_dir), strict=True):
        if old and not _same_folder(old, new):
            return f"configured for {old}, now at {new}"
    return ""


def _same_folder(one: str, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
