"""Findings as people and programs read them, and the checks as the documentation lists them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from ..terminal.colours import paint
from ..terminal.columns import hang
from ..terminal.stream import Display
from .check import BUILD, Check, Examined, Status

# What a line begins with, and its colours.
_MARKS = {
    Status.OK: ("ok", "green"),
    Status.SKIPPED: ("-", "dim"),
    Status.WARNING: ("warning", "bold yellow"),
    Status.PROBLEM: ("PROBLEM", "bold red"),
}
_MARK_WIDTH = 9


def render(examined: Sequence[Examined], display: Display) -> str:
    """A line per check, below it what follows from a finding and what mends it; the count last."""
    width = max((len(e.check.id) for e in examined), default=0)
    lines = []
    for each in examined:
        mark, style = _MARKS[each.status]
        head = paint(f"{mark:<{_MARK_WIDTH}}", style, display.colour) + f"{each.check.id:<{width}}"
        lines.append(_line(head, width, each.finding.text, display))
        for label, text in _details(each):
            head = " " * _MARK_WIDTH + paint(f"{label:>{width}}", "dim", display.colour)
            lines.append(_line(head, width, text, display))
    return "\n".join([*lines, "", _count(examined)])


def _line(head: str, width: int, text: str, display: Display) -> str:
    return f"{head}  {hang(text, _MARK_WIDTH + width + 2, display)}".rstrip()


def _details(each: Examined) -> Iterator[tuple[str, str]]:
    if each.status in (Status.WARNING, Status.PROBLEM):
        yield from (("looked in", place) for place in each.finding.looked)
        yield "so", each.consequence
        yield from [("mend", each.finding.remedy)] if each.finding.remedy else []


def _count(examined: Sequence[Examined]) -> str:
    counts = Counter(e.status for e in examined)
    return ", ".join(f"{counts[status]} {status.value}" for status in Status if counts[status])


def render_line(each: Examined) -> str:
    """A warning of the quick checks, for the build's own output."""
    mended_anyway = each.finding.remedy in ("", BUILD)
    remedy = "" if mended_anyway else f" (mend: {each.finding.remedy})"
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
