"""Profile with Clang's `-ftime-trace`, which records the time of each header and template."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.base.process import run

from .compile_commands import CompileCommand
from .costs import GENERATE, INSTANTIATE, PARSE, FileCost, without_arguments

_INSTANTIATIONS = ("InstantiateClass", "InstantiateFunction")


@dataclass(frozen=True)
class Trace:
    """The trace of one compilation: seconds by header and by template."""

    file: FileCost
    headers: dict[str, float]
    instantiations: dict[str, float]
    """Template name without arguments -> seconds."""


def profile_file(command: CompileCommand, scratch: Path) -> Trace:
    """Compile a file again and read the trace, which Clang writes next to the object."""
    line = command.line("-ftime-trace", "-c", "-o", str(scratch / "object.o"))
    run(line, cwd=command.folder)
    try:
        events = json.loads((scratch / "object.json").read_bytes())["traceEvents"]
    except (OSError, ValueError, KeyError):
        events = []
    return read_trace(command.output, events)


def read_trace(output: str, events: Iterable[dict[str, Any]]) -> Trace:
    """Sum up the events of a trace; a header included by another one counts for both."""
    totals: dict[str, float] = {}
    headers: defaultdict[str, float] = defaultdict(float)
    instantiations: defaultdict[str, float] = defaultdict(float)
    for event in events:
        seconds = event.get("dur", 0) / 1e6
        name, detail = event["name"], event.get("args", {}).get("detail", "")
        if name.startswith("Total "):
            totals[name] = seconds
        elif name == "Source":
            headers[detail] += seconds
        elif name in _INSTANTIATIONS:
            instantiations[without_arguments(detail)] += seconds
    whole = FileCost(output, totals.get("Total ExecuteCompiler", 0.0), _phases(totals))
    return Trace(whole, dict(headers), dict(instantiations))


def _phases(totals: dict[str, float]) -> dict[str, float]:
    """Return seconds by phase, without overlap.

    Pending instantiations at the end of a file are part of the front end's time, so they are subtracted.
    """
    instances = totals.get("Total PerformPendingInstantiations", 0.0)
    return {
        PARSE: totals.get("Total Frontend", 0.0) - instances,
        INSTANTIATE: instances,
        GENERATE: totals.get("Total Backend", 0.0),
    }
