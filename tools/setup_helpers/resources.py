"""How many jobs the machine can carry: cores, affinity, and the memory its control group leaves."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .config import ResourceClass

_UNLIMITED = 1 << 60


def usable_cores() -> int:
    """Cores this process may run on, cut by the control group's quota."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        if quota != "max":
            cores = min(cores, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass
    return max(1, cores)


def memory_limit_mb() -> int:
    """The machine's or the control group's memory."""
    return min(_meminfo("MemTotal"), _cgroup_number("memory.max")) >> 20


def free_memory_mb() -> int:
    """What can still be allocated without swapping."""
    limit, used = _cgroup_number("memory.max"), _cgroup_number("memory.current", 0)
    cache = _cgroup_stat("inactive_file")
    return max(0, min(_meminfo("MemAvailable"), limit - used + cache)) >> 20


def _meminfo(key: str) -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1]) << 10
    except (OSError, ValueError, IndexError):
        pass
    return _UNLIMITED


def _cgroup_number(name: str, absent: int = _UNLIMITED) -> int:
    try:
        text = Path("/sys/fs/cgroup", name).read_text().strip()
        return absent if text == "max" else int(text)
    except (OSError, ValueError):
        return absent


def _cgroup_stat(key: str) -> int:
    try:
        for line in Path("/sys/fs/cgroup/memory.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == key:
                return int(value)
    except (OSError, ValueError):
        pass
    return 0


def job_count(asked: int, smallest_job_mb: int) -> int:
    """`asked` (0: all cores), cut to what memory carries; at least one."""
    jobs = asked or usable_cores()
    if smallest_job_mb:
        jobs = min(jobs, free_memory_mb() // smallest_job_mb)
    return max(1, jobs)


def pool_depths(resources: Iterable[ResourceClass], memory_mb: int) -> dict[str, int]:
    """Ninja pool per class: as many jobs as fit in the memory, at most the row's own limit."""
    depths = {}
    for resource in resources:
        depth = max(1, memory_mb // max(1, resource.memory_mb))
        depths[resource.name] = min(depth, resource.max_jobs or 64, 64)
    return depths
