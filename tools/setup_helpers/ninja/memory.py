"""The memory available to a build, and whether the kernel killed processes for lack of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .control_group import MACHINE, Hierarchy, hierarchy, table_entry

UNLIMITED = 1 << 60


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
