"""The number of parallel jobs: in total, and for each resource class (a Ninja pool)."""

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
    """A number of jobs, and what limited it."""

    count: int
    limited_by: str

    def __str__(self) -> str:
        return f"{self.count} job{'s' if self.count > 1 else ''} ({self.limited_by})"


def job_count(requested: int, resources: Iterable[ResourceClass], build_dir: Path) -> Jobs:
    """Return the requested number of jobs (0: one per core), limited by free memory; at least one.

    The limit is for jobs of the lightest class; heavier classes have pools, see `configured_pools`.
    """
    jobs = Jobs(requested, "requested") if requested else Jobs(usable_cores(), "cores")
    figures = read_figures(build_dir)
    lightest = min((figures.of(resource) for resource in resources), default=0)
    if lightest:
        room = free_memory_mb() // lightest
        if room < jobs.count:
            jobs = Jobs(max(1, room), "memory")
    return jobs


def configured_pools(resources: Iterable[ResourceClass], build_dir: Path) -> dict[str, int]:
    """Return pool -> depth for this machine's memory and the memory figures of the tree."""
    return pool_depths(resources, read_figures(build_dir), memory_limit_mb())


def pool_depths(
    resources: Iterable[ResourceClass], figures: Figures, memory_mb: int
) -> dict[str, int]:
    """Return the depth of each class's Ninja pool: the jobs that fit in memory, up to the row's limit."""
    depths = {}
    for resource in resources:
        depth = max(1, memory_mb // max(1, figures.of(resource)))
        depths[resource.name] = min(depth, resource.max_jobs or DEEPEST_POOL, DEEPEST_POOL)
    return depths


def pool_limits(depths: Mapping[str, int]) -> dict[str, str]:
    """Return the depths that have an effect; a depth of at least the number of cores becomes "all"."""
    cores = os.cpu_count() or 1
    return {name: str(depth) if depth < cores else "all" for name, depth in depths.items()}
