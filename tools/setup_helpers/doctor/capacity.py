"""Has the machine room for the build: a folder to write to, disk, memory, cores?"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

from ..resources import free_memory_mb, memory_limit_mb, read_figures, usable_cores
from .check import BUILD, Check, Finding, Machine, either, ok, problem, warning

# Enough that a full disk and a quota show, little enough to cost nothing.
_TRIAL_BYTES = 1 << 20
_MENDED = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space, or ask for a larger quota",
    errno.EACCES: "{make_ours}",
}
_ANOTHER = "/a/folder/that/can/be/written"


class Writable(Check):
    """Writes, and deletes, a file where the build and the compiler's temporary files go."""

    id = "writable"
    looks_at = "the build directory and the folder for temporary files"
    consequence = "the build stops at the first file it writes there"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        # Compilers pass over a TMPDIR that does not exist.
        asked = Path(machine.environ.get("TMPDIR", ""))
        temporary = asked if asked.is_absolute() and asked.is_dir() else Path("/tmp")
        places = dict.fromkeys([existing_part(machine.build_dir), temporary])
        for place in places:
            try:
                with tempfile.TemporaryFile(dir=place) as file:
                    file.write(b"\0" * _TRIAL_BYTES)
                    file.flush()
            except OSError as error:
                elsewhere = (
                    f"TMPDIR={_ANOTHER} {BUILD}"
                    if place == temporary
                    else machine.with_option("build_dir", _ANOTHER)
                )
                mended = _MENDED.get(error.errno or 0, "").format(make_ours=_make_ours(place))
                return problem(
                    f"{place} cannot be written to: {error.strerror}", either(mended, elsewhere)
                )
        return ok(", ".join(map(str, places)))


def _make_ours(place: Path) -> str:
    """By its owner the mode; by root the owner."""
    if place.stat().st_uid == os.geteuid():
        return f"chmod u+w {place}"
    return f"sudo chown -R {os.geteuid()} {place}"


class Disk(Check):
    """Free space beside what the table says a finished tree takes."""

    id = "disk"
    looks_at = "the free space where the build directory lies"
    consequence = "the build ends with 'No space left on device' when the disk is full"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        place = existing_part(machine.build_dir)
        free = shutil.disk_usage(place).free >> 20
        needed = machine.config.project.disk_mb
        if free < needed:  # only now is it worth measuring what is there already
            needed = max(0, needed - _size_mb(machine.build_dir))
        if free >= needed:
            return ok(f"{free} MB free at {place}")
        return warning(
            f"{free} MB free at {place}; what is still to be made takes about {needed} MB",
            either(
                f"free {needed - free} MB", machine.with_option("build_dir", "/on/another/disk")
            ),
        )


class Memory(Check):
    """The largest class of jobs must fit."""

    id = "memory"
    looks_at = "the machine's memory, or what its control group leaves of it"
    consequence = "the kernel kills the compiler when memory runs out, or the machine swaps"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        figures = read_figures(machine.build_dir)
        largest = max(machine.config.resources, key=figures.of, default=None)
        limit, free = memory_limit_mb(), free_memory_mb()
        if largest is None or free >= figures.of(largest):
            return ok(f"{free} of {limit} MB free")
        needs = f"one job of class {largest.name} takes {figures.of(largest)} MB"
        if limit < figures.of(largest):
            return warning(
                f"{limit} MB in all; {needs}", "raise the limit of the container or control group"
            )
        return warning(
            f"{free} of {limit} MB free; {needs}",
            either("close other programs", machine.with_option("jobs", "1")),
        )


class Jobs(Check):
    """A number of jobs that somebody asked for, beside what cores and memory carry."""

    id = "jobs"
    looks_at = "the number of jobs asked for, the usable cores and the free memory"
    consequence = "compilers fight for cores and memory until the machine no longer answers"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        cores = usable_cores()
        asked = _asked_jobs(machine)
        if asked is None:
            return ok(f"the build chooses; {cores} cores can be used")
        name, count = asked
        figures = read_figures(machine.build_dir)
        smallest = min(map(figures.of, machine.config.resources), default=0)
        fit = max(1, free_memory_mb() // smallest) if smallest else count
        carried = min(cores, fit)
        if count <= 2 * cores and count <= fit:
            return ok(f"{name}={count}, {cores} cores")
        reason = f"{cores} cores can be used" if count > 2 * cores else f"memory carries {fit}"
        return warning(f"{name}={count}, but {reason}", f"export {name}={carried}")


def _asked_jobs(machine: Machine) -> tuple[str, int] | None:
    for role in ("jobs", "fallback_jobs"):
        if count := int(machine.options.role(role) or 0):
            option = machine.config.option_for(role)
            assert option is not None
            return option.name, count
    return None


def existing_part(path: Path) -> Path:
    """The path itself, or the nearest above it that exists; a folder, unless somebody built on a file."""
    return next(p for p in (path, *path.parents) if p.exists())


def _size_mb(folder: Path) -> int:
    """What a tree holds already."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue  # gone meanwhile
    return total >> 20
