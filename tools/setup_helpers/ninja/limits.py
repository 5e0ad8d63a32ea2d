"""The limits of this machine: usable cores, memory, and the control group of this process."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

MACHINE = Path("/")
"""The folder that contains /proc and /sys."""
UNLIMITED = 1 << 60


@dataclass(frozen=True)
class Hierarchy:
    """The groups that limit one controller; all of their limits apply."""

    version: int
    groups: tuple[Path, ...]
    """Folders of the groups, the innermost first."""

    def numbers(self, name: str) -> list[int]:
        """Return the number in a file of each group that has it; "max" is left out."""
        found = (_number(group / name) for group in self.groups)
        return [number for number in found if number is not None]


@dataclass(frozen=True)
class _Mount:
    """A line of mountinfo: the group of the hierarchy that is mounted at a folder."""

    root: str
    folder: str
    kind: str
    options: frozenset[str]


def hierarchy(controller: str, machine: Path = MACHINE) -> Hierarchy | None:
    """Return the groups that limit this process's use of `controller`; None if there are none.

    Version 1 has a separate tree for each controller, version 2 has one tree for all of them. A machine
    may use both versions; each controller is then in one of them.
    """
    mounts = _mounts(machine)
    memberships = [line.split(":", 2) for line in _lines(machine / "proc/self/cgroup")]
    for number, controllers, path in (m for m in memberships if len(m) == 3):
        if number != "0" and controller in controllers.split(","):
            mount = next(
                (m for m in mounts if m.kind == "cgroup" and controller in m.options), None
            )
            if mount:
                return Hierarchy(1, _upwards(mount, path, machine))
    for number, _, path in (m for m in memberships if len(m) == 3):
        mount = next((m for m in mounts if m.kind == "cgroup2"), None)
        if number == "0" and mount:
            return Hierarchy(2, _upwards(mount, path, machine))
    return None


def _upwards(mount: _Mount, path: str, machine: Path) -> tuple[Path, ...]:
    """Return the folders from a group up to the mount, which in a container may show only part of the tree."""
    inside = path.removeprefix(mount.root) if mount.root != "/" else path
    folder = machine / mount.folder.lstrip("/")
    group = folder / inside.strip("/")
    if ".." in group.parts or not group.is_dir():
        return (folder,)
    steps = [group, *group.parents]
    return tuple(steps[: steps.index(folder) + 1])


def _mounts(machine: Path) -> list[_Mount]:
    mounts = []
    for line in _lines(machine / "proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        fields, (kind, *rest) = before.split(), after.split() or [""]
        if kind in ("cgroup", "cgroup2") and len(fields) >= 5:
            options = frozenset(rest[-1].split(",")) if rest else frozenset()
            mounts.append(_Mount(fields[3], fields[4], kind, options))
    return mounts


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:
        return []


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def table_entry(file: Path, key: str) -> int:
    """Return a value from a file of `key value` lines; 0 if it is missing."""
    for line in _lines(file):
        name, _, value = line.partition(" ")
        if name == key and value.strip().isdigit():
            return int(value)
    return 0


def usable_cores(machine: Path = MACHINE) -> int:
    """Return the number of cores in this process's affinity, limited by the quotas of its control groups."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    quotas = [-(-quota // period) for quota, period in _quotas(machine)]  # round up
    return max(1, min([cores, *quotas]))


def _quotas(machine: Path) -> list[tuple[int, int]]:
    """Return (quota, period) in microseconds for each group with a quota."""
    tree = hierarchy("cpu", machine)
    if tree is None:
        return []
    read = _quota_v1 if tree.version == 1 else _quota_v2
    found = []
    for group in tree.groups:
        try:
            quota, period = read(group)
        except (OSError, ValueError):
            continue
        if quota > 0 and period > 0:
            found.append((quota, period))
    return found


def _quota_v1(group: Path) -> tuple[int, int]:
    quota = int((group / "cpu.cfs_quota_us").read_text())  # -1: none
    return quota, int((group / "cpu.cfs_period_us").read_text())


def _quota_v2(group: Path) -> tuple[int, int]:
    quota, period = (group / "cpu.max").read_text().split()  # "max 100000": none
    return int(quota), int(period)


@dataclass(frozen=True)
class _Files:
    """The names of files in one version of control groups."""

    limits: tuple[str, ...]
    used: str
    reclaimable: str
    """The line of memory.stat for cached file pages, which are reclaimed first."""
    events: str


_FILES = {
    1: _Files(
        ("memory.limit_in_bytes",),
        "memory.usage_in_bytes",
        "total_inactive_file",
        "memory.oom_control",
    ),
    2: _Files(("memory.max", "memory.high"), "memory.current", "inactive_file", "memory.events"),
}


def memory_limit_mb(machine: Path = MACHINE) -> int:
    """Return the memory of the machine, limited by its control groups."""
    tree = hierarchy("memory", machine)
    limits = [n for name in _FILES[tree.version].limits for n in tree.numbers(name)] if tree else []
    return min([_meminfo("MemTotal", machine), *limits]) >> 20


def free_memory_mb(machine: Path = MACHINE) -> int:
    """Return the memory that can be allocated without swapping or being killed."""
    rooms = [_meminfo("MemAvailable", machine)]
    tree = hierarchy("memory", machine)
    if tree:
        rooms += [_room(tree, group) for group in tree.groups]
    return max(0, min(rooms)) >> 20


def _room(tree: Hierarchy, group: Path) -> int:
    files, alone = _FILES[tree.version], Hierarchy(tree.version, (group,))
    limit = min((n for name in files.limits for n in alone.numbers(name)), default=UNLIMITED)
    used = sum(alone.numbers(files.used))
    return limit - used + table_entry(group / "memory.stat", files.reclaimable)


def oom_kills(machine: Path = MACHINE) -> int:
    """Return how many processes the kernel has killed for lack of memory, as far as is visible here."""
    kills = table_entry(machine / "proc/vmstat", "oom_kill")
    tree = hierarchy("memory", machine)
    if tree:
        events = _FILES[tree.version].events
        kills += sum(table_entry(group / events, "oom_kill") for group in tree.groups)
    return kills


def _meminfo(key: str, machine: Path) -> int:
    try:
        for line in (machine / "proc/meminfo").read_text().splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1]) << 10
    except (OSError, ValueError, IndexError):
        pass
    return UNLIMITED
