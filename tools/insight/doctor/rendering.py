"""Render findings for the terminal and as JSON, and the list of checks for the documentation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from tools.base.console import Display, paint

from ..terminal.lines import hang
from .check import BUILD, Check, CheckResult, Status

# The first word of a line, and its style.
_MARKS = {
    Status.OK: ("ok", "green"),
    Status.SKIPPED: ("-", "dim"),
    Status.WARNING: ("warning", "bold yellow"),
    Status.PROBLEM: ("PROBLEM", "bold red"),
}
_MARK_WIDTH = 9


def render(results: Sequence[CheckResult], display: Display) -> str:
    """Render one line per check, its consequence and fix below it, and the counts at the end."""
    width = max((len(e.check.id) for e in results), default=0)
    lines = []
    for each in results:
        mark, style = _MARKS[each.status]
        head = paint(f"{mark:<{_MARK_WIDTH}}", style, display.colour) + f"{each.check.id:<{width}}"
        lines.append(_line(head, width, each.finding.text, display))
        for label, text in _details(each):
            head = " " * _MARK_WIDTH + paint(f"{label:>{width}}", "dim", display.colour)
            lines.append(_line(head, width, text, display))
    return "\n".join([*lines, "", _count(results)])


def _line(head: str, width: int, text: str, display: Display) -> str:
    return f"{head}  {hang(text, _MARK_WIDTH + width + 2, display)}".rstrip()


def _details(each: CheckResult) -> Iterator[tuple[str, str]]:
    if each.status in (Status.WARNING, Status.PROBLEM):
        yield from (("looked in", place) for place in each.finding.looked)
        yield "so", each.consequence
        yield from [("fix", each.finding.remedy)] if each.finding.remedy else []


def _count(results: Sequence[CheckResult]) -> str:
    counts = Counter(e.status for e in results)
    return ", ".join(f"{counts[status]} {status.value}" for status in Status if counts[status])


def render_line(each: CheckResult) -> str:
    """Render a warning of the quick checks for the output of a build."""
    fixed_by_build = each.finding.remedy in ("", BUILD)
    remedy = "" if fixed_by_build else f" (fix: {each.finding.remedy})"
    return f"warning: {each.check.id}: {each.finding.text}{remedy}"


def render_json(results: Sequence[CheckResult]) -> str:
    """Render the number of checks per status and all checks as JSON."""
    counts = Counter(e.status for e in results)
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
            for e in results
        ],
    }
    return json.dumps(document, indent=1)


def render_markdown(checks: Sequence[Check]) -> str:
    """Render the documentation's table of checks, which does not depend on this machine."""
    lines = ["| check | looks at | consequence if it fails |", "| --- | --- | --- |"]
    for check in checks:
        before = "; runs before every build" if check.quick else ""
        lines.append(f"| `{check.id}` | {check.looks_at}{before} | {check.consequence} |")
    return "\n".join(lines)
