"""Summarise a run in the few lines that are worth reading every time."""

from __future__ import annotations

from collections.abc import Sequence

from ..terminal.step_names import output_name
from .report import Report

SLOWEST = 5
CAUSES = 3


def summarise(report: Report) -> None:
    """Print causes, slow files, compiler cache hits and sizes."""
    facts = report.facts
    compiled = facts["compiled"]
    if facts["last"]["began"]:  # the cause of a first build is obvious
        causes = facts["causes"][:CAUSES]
        for name, cause in zip(first("because", causes), causes, strict=True):
            count = f"{cause['commands']} command{'s' if cause['commands'] > 1 else ''}"
            report.row(name, cause["seconds"], f"{cause['text']}: {count}")
    if compiled > SLOWEST:
        slowest = facts["slowest"][:SLOWEST]
        for name, file in zip(first("slowest", slowest), slowest, strict=True):
            report.row(name, file["seconds"], str(output_name(file["output"])))
    if compiled and (cache := facts.get("compiler_cache")):
        rate = round(100 * cache["hits"] / max(1, cache["hits"] + cache["misses"]))
        report.row("cache", None, f"{cache['hits']} hits, {cache['misses']} misses ({rate} %)")
    if facts["jobs"] and (sizes := facts["sizes"]):
        total = sum(sizes.values()) / 1e6
        report.row("built", None, f"{compiled} objects, {len(sizes)} binaries of {total:.1f} MB")
    report.row("total", report.seconds)


def first(name: str, rows: Sequence[object]) -> list[str]:
    """Return a column of names: the name for the first row, nothing for the others."""
    return [name, *[""] * (len(rows) - 1)] if rows else []
