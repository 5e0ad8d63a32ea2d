"""Estimate the cost of steps that have never run here from their sources, to forecast a first build."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from tools.base.ninja_log import last_durations
from tools.setup_helpers.table.config import Config

from .step_names import output_name, step_name
from .tally import Forecast

_SOURCE = re.compile(r"(?:.*/)?CMakeFiles/[^/]+\.dir/(.*)\.(?:o|obj)$")
# The cost of including headers, in bytes of source. Fitted to a recorded build of the library: values
# from 20,000 to 80,000 predict it about equally well.
_HEADERS = 40_000
# The cost of other steps, such as links and copies, in bytes of source.
_OTHER = 8_000


def forecast_of(config: Config, build_dir: Path, steps: Collection[str], jobs: int) -> Forecast:
    """Create a forecast from the times in Ninja's log; steps without one are estimated."""
    seconds = last_durations(build_dir)
    unknown = [output for step in steps if (output := step_name(step).output) not in seconds]
    relative = {library.name: library.relative_cost for library in config.libraries}
    costs = estimated_costs(unknown, relative, (config.root, build_dir)) if unknown else {}
    return Forecast(seconds, steps, jobs, costs)


def estimated_costs(
    outputs: Iterable[str], relative: Mapping[str, float], places: Iterable[Path]
) -> dict[str, float]:
    """Estimate output -> work as a multiple of their average; `relative` holds costs per library."""
    places = tuple(places)
    return as_multiples(
        {
            output: cost_of(output, _source_bytes(output, places), relative)
            for output in outputs
            if output
        }
    )


def cost_of(output: str, source_bytes: int, relative: Mapping[str, float]) -> float:
    """Estimate the work in bytes of ordinary source; `source_bytes` is 0 if nothing is compiled."""
    if not source_bytes:
        return _OTHER
    return (_HEADERS + source_bytes) * relative.get(output_name(output).target, 1.0)


def as_multiples(costs: Mapping[str, float]) -> dict[str, float]:
    """Divide all costs by their average."""
    mean = sum(costs.values()) / len(costs) if costs else 1.0
    return {output: cost / mean for output, cost in costs.items()}


def _source_bytes(output: str, places: Iterable[Path]) -> int:
    """Return the size of an object's source, which has the same path in one of the places; else 0."""
    if not (match := _SOURCE.match(output)):
        return 0
    for place in places:
        try:
            return os.stat(place / match[1]).st_size
        except OSError:
            continue
    return 0
