"""The memory that jobs of each resource class needed in builds of this tree: build/memory.json."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.base import ninja_manifest
from tools.base.atomic import write_if_changed

from ..table.config import ResourceClass

NAME = "memory.json"
STEP_MB = 50
"""Figures of classes are rounded up to multiples of this, so that noise does not change pools."""


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
        record = json.loads((build_dir / NAME).read_bytes())
        tables = [record[key] for key in ("outputs", "classes")]
        outputs, classes = ({str(k): int(v) for k, v in table.items()} for table in tables)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
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
    text = json.dumps({"outputs": figures.outputs, "classes": figures.classes}, indent=1)
    write_if_changed(build_dir / NAME, text.encode())
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
