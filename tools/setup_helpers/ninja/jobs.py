"""How many jobs may run in parallel, from cores, memory, and what each kind of job needed before."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.base import ninja_manifest
from tools.base.store import ReadableRecord, Record

from ..table.config import ResourceClass
from .limits import free_memory_mb, memory_limit_mb, usable_cores

DEEPEST_POOL = 64
_FIGURES: Record[dict[str, Mapping[str, int]]] = ReadableRecord("memory.json")
STEP_MB = 50
"""Figures of classes are rounded up to multiples of this, so that noise does not change pools."""


@dataclass(frozen=True)
class Jobs:
    """A number of jobs, and what limited it."""

    count: int
    limited_by: str

    def __str__(self) -> str:
        return f"{self.count} job{'s' if self.count > 1 else ''} ({self.limited_by})"


def job_count(
    requested: int, resources: Iterable[ResourceClass], build_dir: Path, slots: int = 0
) -> Jobs:
    """Return the requested number of jobs (0: one per core), limited by free memory; at least one.

    The limit is for jobs of the lightest class; heavier classes have pools, see `configured_pools`.
    Unless a number was requested, the slots of workers are added: their memory is not ours.
    """
    jobs = Jobs(requested, "requested") if requested else Jobs(usable_cores(), "cores")
    figures = read_figures(build_dir)
    lightest = min((figures.of(resource) for resource in resources), default=0)
    if lightest:
        room = free_memory_mb() // lightest
        if room < jobs.count:
            jobs = Jobs(max(1, room), "memory")
    if slots and not requested:
        return Jobs(jobs.count + slots, f"{jobs.limited_by} and {slots} slots of workers")
    return jobs


def configured_pools(
    resources: Iterable[ResourceClass], build_dir: Path, slots: int
) -> dict[str, int]:
    """Return pool -> depth for this machine's memory, the memory figures of the tree, and the workers."""
    return pool_depths(resources, read_figures(build_dir), memory_limit_mb(), slots)


def pool_depths(
    resources: Iterable[ResourceClass], figures: Figures, memory_mb: int, slots: int = 0
) -> dict[str, int]:
    """Return the depth of each class's Ninja pool: the jobs that fit in memory, up to the row's limit.

    With workers, their slots are added for classes that they can run, and other classes get one job per
    core: Ninja may now start more jobs than this machine has cores.
    """
    depths = {}
    for resource in resources:
        depth = max(1, memory_mb // max(1, figures.of(resource)))
        depth = min(depth, resource.max_jobs or DEEPEST_POOL, DEEPEST_POOL)
        if slots:
            depth = depth + slots if resource.remote else min(depth, usable_cores())
        depths[resource.name] = depth
    return depths


def pool_limits(depths: Mapping[str, int], slots: int = 0) -> dict[str, str]:
    """Return the depths that have an effect; a depth of at least the number of jobs becomes "all"."""
    cores = (os.cpu_count() or 1) + slots
    return {name: str(depth) if depth < cores else "all" for name, depth in depths.items()}


@dataclass(frozen=True)
class Figures:
    """Peaks in MiB."""

    outputs: Mapping[str, int] = field(default_factory=dict)
    classes: Mapping[str, int] = field(default_factory=dict)
    """Figures of measured classes; others use the table's figure."""

    def of(self, resource: ResourceClass) -> int:
        """Return the memory of one job of a class."""
        return self.classes.get(resource.name, resource.memory_mb)


def read_figures(build_dir: Path) -> Figures:
    """Return the recorded figures; none if the file is absent or damaged."""
    try:
        record = _FIGURES.read(build_dir) or {}
        tables = [record[key] for key in ("outputs", "classes")]
        outputs, classes = ({str(k): int(v) for k, v in table.items()} for table in tables)
    except (ValueError, TypeError, KeyError, AttributeError):
        return Figures()
    return Figures(outputs, classes)


def learn(
    build_dir: Path,
    resources: Iterable[ResourceClass],
    measured: Mapping[str, int],
) -> Figures:
    """Add the measurements of a build; the pools of the graph determine the class of each output."""
    if not measured:
        return read_figures(build_dir)
    pools = ninja_manifest.pools(build_dir)
    known = read_figures(build_dir).outputs
    outputs = {o: peak for o, peak in {**known, **measured}.items() if o in pools}
    for output in outputs:
        # A job that took less than half as much ended early, because it failed or was killed.
        if outputs[output] * 2 < known.get(output, 0):
            outputs[output] = known[output]
    figures = Figures(dict(sorted(outputs.items())), _classes(resources, outputs, pools))
    _FIGURES.write(build_dir, {"outputs": figures.outputs, "classes": figures.classes})
    return figures


def _classes(
    resources: Iterable[ResourceClass], outputs: Mapping[str, int], pools: Mapping[str, str]
) -> dict[str, int]:
    """Return the largest peak of each class; it may be below the table's figure if half was measured."""
    figures = {}
    for resource in resources:
        members = [output for output, pool in pools.items() if pool == resource.name]
        peaks = [outputs[output] for output in members if output in outputs]
        if peaks:
            largest = -(-max(peaks) // STEP_MB) * STEP_MB
            known = 2 * len(peaks) >= len(members)
            figures[resource.name] = largest if known else max(largest, resource.memory_mb)
    return figures
