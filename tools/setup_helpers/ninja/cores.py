"""The number of cores that a build may use."""

from __future__ import annotations

import os
from pathlib import Path

from .control_group import MACHINE, hierarchy


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
