"""build/trace.json: the run in the Trace Event Format, for Perfetto and chrome://tracing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.base.atomic import write_atomically
from tools.base.store import build_file

from .causes import NO_CAUSE

NAME = build_file("trace.json")

_PROCESS = 1
# Threads in display order; 0 would be a machine's idle thread.
_STEPS, _STAGES, _FIRST_LANE = 1, 2, 3


def write_trace(document: Mapping[str, Any], build_dir: Path) -> None:
    """Write the trace from the contents of build/report.json."""
    trace = {"traceEvents": list(_events(document)), "displayTimeUnit": "ms"}
    write_atomically(build_dir / NAME, json.dumps(trace, separators=(",", ":")).encode())


def _events(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    jobs = document["jobs"]
    lanes = max((job["lane"] for job in jobs), default=-1) + 1
    yield _metadata("process_name", _STEPS, name=f"{document['project']} {document['version']}")
    rows = ["steps", "code generation", *(f"job slot {lane + 1}" for lane in range(lanes))]
    for thread, name in enumerate(rows, _STEPS):
        yield _metadata("thread_name", thread, name=name)
        yield _metadata("thread_sort_index", thread, sort_index=thread)
    for step in document["steps"]:
        yield _span(step, step["name"], "step", _STEPS, {"note": step["note"]})
    for stage in document["stages"]:
        if stage["reason"]:
            yield _span(stage, stage["name"], "codegen", _STAGES, {"reason": stage["reason"]})
    critical = set(document["critical_path"])
    for job in jobs:
        details: dict[str, Any] = {"on the critical path": job["output"] in critical}
        if job["failed"]:
            details["failed"] = True
        if job["cause"] != NO_CAUSE:
            details["cause"] = document["causes"][job["cause"]]["text"]
        lane = _FIRST_LANE + job["lane"]
        yield _span(job, job["output"], job["category"], lane, details)


def _metadata(kind: str, thread: int, **facts: str | int) -> dict[str, Any]:
    """Create a metadata event, which sets how a process or a thread is displayed."""
    return {"ph": "M", "name": kind, "pid": _PROCESS, "tid": thread, "args": facts}


def _span(
    row: Mapping[str, Any], name: str, category: str, thread: int, details: Mapping[str, Any]
) -> dict[str, Any]:
    """Create a complete event; times are microseconds."""
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "ts": round(row["start"] * 1e6),
        "dur": round(row["seconds"] * 1e6),
        "pid": _PROCESS,
        "tid": thread,
        "args": details,
    }
