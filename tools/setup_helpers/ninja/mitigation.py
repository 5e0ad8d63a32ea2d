"""Compile files without debug information if the compiler crashes on it, and record which.

Only the flags of that edge in build.ninja change, so Ninja knows how the object was built. The
original flags are restored as soon as anything that the object depends on changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.base.ninja_manifest import set_variable, variable
from tools.base.process import run
from tools.base.store import Record

_MITIGATED: Record[dict[str, dict[str, str]]] = Record("mitigated.json", format=1)
FLAGS = "FLAGS"
_DEBUG = re.compile(r"-g(?:\d|gdb\d?|dwarf(?:-\d)?|line-tables-only|split-dwarf|z\S*)?")
_LEVEL = re.compile(r"-O(?:[0-3sgz]|fast)?")
_LOWER = ("-O1", "-O0")


@dataclass(frozen=True)
class Mitigation:
    """Alternative flags for one object."""

    how: str
    flags: str
    original: str


def weaker_flags(flags: str) -> Iterator[Mitigation]:
    """Yield flags without debug information, then with less optimisation too; none in a release build."""
    words = flags.split(" ")
    plain = [word for word in words if not _DEBUG.fullmatch(word)]
    if len(plain) == len(words):
        return
    yield Mitigation("without -g", " ".join(plain), flags)
    levels = [word for word in plain if _LEVEL.fullmatch(word)]
    if levels and levels[-1] != "-O0":
        rest = [word for word in plain if not _LEVEL.fullmatch(word)]
        for level in _LOWER:
            if level != levels[-1]:
                yield Mitigation(f"without -g and with {level}", " ".join([level, *rest]), flags)


def mitigations(build_dir: Path, output: str) -> list[Mitigation]:
    """Return the alternatives for an object of the graph, the smallest change first."""
    return list(weaker_flags(variable(build_dir, output, FLAGS) or ""))


def apply(build_dir: Path, output: str, mitigation: Mitigation) -> None:
    """Make Ninja compile the object with the mitigation's flags from now on."""
    _write(build_dir, {**read(build_dir), output: mitigation})
    set_variable(build_dir, output, FLAGS, mitigation.flags)


def lift(build_dir: Path, output: str) -> None:
    """Restore the original flags."""
    known = dict(read(build_dir))
    mitigation = known.pop(output, None)
    if mitigation and variable(build_dir, output, FLAGS) == mitigation.flags:
        set_variable(build_dir, output, FLAGS, mitigation.original)
    _write(build_dir, known)


def lift_outdated(ninja: str, build_dir: Path, environ: Mapping[str, str]) -> None:
    """Restore the flags of every object that the next build recompiles anyway."""
    for output, mitigation in read(build_dir).items():
        current = variable(build_dir, output, FLAGS) == mitigation.flags
        if not current or _outdated(ninja, build_dir, output, environ):
            lift(build_dir, output)


def _outdated(ninja: str, build_dir: Path, output: str, environ: Mapping[str, str]) -> bool:
    """Compare the object with its recorded dependencies.

    A dry run of Ninja would not do, since it stops at CMake's globs.
    """
    command = [ninja, "-C", str(build_dir), "-t", "deps", output]
    first, *rest = run(command, environ=environ).output.splitlines() or [""]
    if not first.endswith("(VALID)"):
        return True
    try:
        made = (build_dir / output).stat().st_mtime_ns
        inputs = (build_dir / line.strip() for line in rest if line.strip())
        return any(path.stat().st_mtime_ns > made for path in inputs)
    except OSError:
        return True


def read(build_dir: Path) -> dict[str, Mitigation]:
    """Return output -> mitigation for the objects of this tree that are compiled with other flags."""
    record = _MITIGATED.read(build_dir) or {}
    return {output: Mitigation(**fields) for output, fields in record.items()}


def _write(build_dir: Path, known: Mapping[str, Mitigation]) -> None:
    if known:
        _MITIGATED.write(build_dir, {output: asdict(made) for output, made in known.items()})
    else:
        _MITIGATED.delete(build_dir)
