"""How many jobs run at once: over all, and of each resource class (a Ninja pool)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..table.config import ResourceClass
from .cores import usable_cores
from .figures import Figures, read_figures
from .memory import free_memory_mb, memory_limit_mb

DEEPEST_POOL = 64


@dataclass(frozen=True)
class Jobs:
    """How many, and what held the number down."""

    count: int
    limited_by: str

    def __str__(self) -> str:
        return f"{self.count} job{'s' if self.count > 1 else ''} ({self.limited_by})"


def job_count(asked: int, resources: Iterable[ResourceClass], build_dir: Path) -> Jobs:
    """`asked` (0: all cores), cut to what free memory carries of the lightest class; at least one.

    Heavier classes have pools, see `configured_pools`.
    """
    jobs = Jobs(asked, "asked for") if asked else Jobs(usable_cores(), "cores")
    figures = read_figures(build_dir)
    lightest = min((figures.of(resource) for resource in resources), default=0)
    if lightest:
        room = free_memory_mb() // lightest
        if room < jobs.count:
            jobs = Jobs(max(1, room), "memory")
    return jobs


def configured_pools(resources: Iterable[ResourceClass], build_dir: Path) -> dict[str, int]:
    """Pool -> depth for this machine's memory and what was measured in the tree."""
    return pool_depths(resources, read_figures(build_dir), memory_limit_mb())


def pool_depths(
    resources: Iterable[ResourceClass], figures: Figures, memory_mb: int
) -> dict[str, int]:
    """Ninja pool per class: as many jobs as fit in the memory, at most the row's own limit."""
    depths = {}
    for resource in resources:
        depth = max(1, memory_mb // max(1, figures.of(resource)))
        depths[resource.name] = min(depth, resource.max_jobs or DEEPEST_POOL, DEEPEST_POOL)
    return depths


def pool_limits(depths: Mapping[str, int]) -> dict[str, str]:
    """What this machine can notice of the depths: one beyond its cores never holds a job back."""
    cores = os.cpu_count() or 1
    return {name: str(depth) if depth < cores else "all" for name, depth in depths.items()}
