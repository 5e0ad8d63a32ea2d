"""Findings as people and programs read them, and the checks as the documentation lists them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from .check import Check, Examined, Status

_MARKS = {
    Status.OK: "ok",
    Status.SKIPPED: "-",
    Status.WARNING: "warning",
    Status.PROBLEM: "PROBLEM",
}
_INDENT = 10


def render(examined: Sequence[Examined]) -> str:
    """A line per check; below it what follows from a finding and what mends it."""
    width = max((len(e.check.id) for e in examined), default=0)
    lines = []
    for each in examined:
        mark = _MARKS[each.status]
        lines.append(f"{mark:<{_INDENT}}{each.check.id:<{width}}  {each.finding.text}")
        if each.consequence:
            lines += [f"{'':{_INDENT}}{label}{text}" for label, text in _details(each) if text]
    return "\n".join(lines)


def _details(each: Examined) -> list[tuple[str, str]]:
    looked = [("looked:   ", place) for place in each.finding.looked]
    return [*looked, ("so:       ", each.consequence), ("mend:     ", each.finding.remedy)]


def render_line(each: Examined) -> str:
    """A warning of the quick checks, for the build's own output."""
    remedy = f" (mend: {each.finding.remedy})" if each.finding.remedy else ""
    return f"warning: {each.check.id}: {each.finding.text}{remedy}"


def render_json(examined: Sequence[Examined]) -> str:
    """For programs: how many of each status, and every check."""
    counts = Counter(e.status for e in examined)
    document = {
        "counts": {status.value: counts[status] for status in Status},
        "checks": [
            {
                "id": e.check.id,
                "status": e.status.value,
                "looks_at": e.check.looks_at,
                "finding": e.finding.text,
                "looked": list(e.finding.looked),
                "consequence": e.consequence,
                "remedy": e.finding.remedy,
            }
            for e in examined
        ],
    }
    return json.dumps(document, indent=1)


def render_markdown(checks: Sequence[Check]) -> str:
    """What is looked at and what it would lead to, for the documentation: nothing of this machine."""
    lines = ["| check | looks at | what follows when it is wrong |", "| --- | --- | --- |"]
    for check in checks:
        before = "; before every build" if check.quick else ""
        lines.append(f"| `{check.id}` | {check.looks_at}{before} | {check.consequence} |")
    return "\n".join(lines)
