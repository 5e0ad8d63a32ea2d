"""Check that the machine can carry the build: writable folders, disk, memory, cores."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

from tools.setup_helpers.ninja.jobs import read_figures
from tools.setup_helpers.ninja.limits import free_memory_mb, memory_limit_mb, usable_cores

from .check import BUILD, Check, Finding, Machine, either, ok, problem, warning

# Large enough to notice a full disk or a quota, small enough to take no time.
_TRIAL_BYTES = 1 << 20
_REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space, or ask for a larger quota",
    errno.EACCES: "{make_ours}",
}
_ANOTHER = "/a/folder/that/can/be/written"


class Writable(Check):
    """Write and delete a file where the build and the compiler's temporary files go."""

    id = "writable"
    looks_at = "the build directory and the folder for temporary files"
    consequence = "the build stops at the first file that it writes there"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        # Compilers ignore a TMPDIR that does not exist.
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
                remedy = _REMEDIES.get(error.errno or 0, "").format(make_ours=_make_ours(place))
                return problem(
                    f"{place} cannot be written to: {error.strerror}", either(remedy, elsewhere)
                )
        return ok(", ".join(map(str, places)))


def _make_ours(place: Path) -> str:
    """Return the command that makes a folder writable: change its mode if we own it, else its owner."""
    if place.stat().st_uid == os.geteuid():
        return f"chmod u+w {place}"
    return f"sudo chown -R {os.geteuid()} {place}"


class Disk(Check):
    """Compare the free space with the size of a finished tree according to the table."""

    id = "disk"
    looks_at = "the free space on the disk of the build directory"
    consequence = "the build ends with 'No space left on device' when the disk is full"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        place = existing_part(machine.build_dir)
        free = shutil.disk_usage(place).free >> 20
        needed = machine.config.project.disk_mb
        if free < needed:  # only now is it worth measuring what exists already
            needed = max(0, needed - _size_mb(machine.build_dir))
        if free >= needed:
            return ok(f"{free} MB free at {place}")
        return warning(
            f"{free} MB free at {place}; the rest of the build needs about {needed} MB",
            either(
                f"free {needed - free} MB", machine.with_option("build_dir", "/on/another/disk")
            ),
        )


class Memory(Check):
    """Check that one job of the largest resource class fits into free memory."""

    id = "memory"
    looks_at = "the machine's memory, as limited by its control groups"
    consequence = "the kernel kills the compiler when memory runs out, or the machine swaps"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        figures = read_figures(machine.build_dir)
        largest = max(machine.config.resources, key=figures.of, default=None)
        limit, free = memory_limit_mb(), free_memory_mb()
        if largest is None or free >= figures.of(largest):
            return ok(f"{free} of {limit} MB free")
        needs = f"one job of class {largest.name} needs {figures.of(largest)} MB"
        if limit < figures.of(largest):
            return warning(
                f"{limit} MB in total; {needs}", "raise the limit of the container or control group"
            )
        return warning(
            f"{free} of {limit} MB free; {needs}",
            either("close other programs", machine.with_option("jobs", "1")),
        )


class Jobs(Check):
    """Compare a requested number of jobs with what cores and memory can carry."""

    id = "jobs"
    looks_at = "the requested number of jobs, the usable cores and the free memory"
    consequence = "compilers compete for cores and memory until the machine hangs"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        cores = usable_cores()
        requested = _requested_jobs(machine)
        if requested is None:
            return ok(f"chosen by the build; {cores} usable cores")
        name, count = requested
        figures = read_figures(machine.build_dir)
        smallest = min(map(figures.of, machine.config.resources), default=0)
        fit = max(1, free_memory_mb() // smallest) if smallest else count
        recommended = min(cores, fit)
        if count <= 2 * cores and count <= fit:
            return ok(f"{name}={count}, {cores} cores")
        reason = (
            f"only {cores} cores are usable" if count > 2 * cores else f"only {fit} fit into memory"
        )
        return warning(f"{name}={count}, but {reason}", f"export {name}={recommended}")


def _requested_jobs(machine: Machine) -> tuple[str, int] | None:
    for role in ("jobs", "fallback_jobs"):
        if count := int(machine.options.role(role) or 0):
            option = machine.config.option_for(role)
            assert option is not None
            return option.name, count
    return None


def existing_part(path: Path) -> Path:
    """Return the path itself or its nearest ancestor that exists.

    The result is a folder, unless the path leads through a file.
    """
    return next(p for p in (path, *path.parents) if p.exists())


def _size_mb(folder: Path) -> int:
    """Return the size of the existing tree in MiB."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue  # deleted in the meantime
    return total >> 20
