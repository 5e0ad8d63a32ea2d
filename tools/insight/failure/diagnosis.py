"""Combine command, diagnostics, cause and hint of a failure, for the terminal and for report.json."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tools.setup_helpers.ninja.failures import FailedCommand, FailureContext, Remedy, shorten

from .causes import Match, find_cause
from .diagnostics import Diagnostic, by_file, read_diagnostics
from .lookups import look_up

MOST_DIAGNOSTICS = 12
RAW_LINES = 30
"""Lines of output to show when no diagnostic was recognised."""
LONGEST_LINE = 300
_CMAKE_ERROR = re.compile(r"^(?=CMake Error )", re.MULTILINE)
_STACK_FRAME = re.compile(r" *#\d+ 0x[0-9a-f]+ ")


@dataclass(frozen=True)
class Diagnosis:
    """Everything known about one failure."""

    output: str
    """The file that could not be built."""
    name: str
    command: str
    shown_command: str
    lines: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    cause_id: str = ""
    cause: str = ""
    hint: str = ""
    remedy: Remedy = Remedy.NONE

    def with_cause(self, cause: str) -> Diagnosis:
        return replace(self, cause=cause)

    def render(self) -> str:
        return render(self)

    def to_json(self) -> dict[str, Any]:
        """Return the failure's entry in report.json."""
        groups = by_file(self.diagnostics)
        return {
            "name": self.name,
            "command": self.command,
            "output": list(self.lines),
            "diagnostics": [
                {"file": file, "messages": [asdict(diagnostic) for diagnostic in group]}
                for file, group in groups.items()
            ],
            "cause_id": self.cause_id,
            "likely_cause": self.cause,
            "hint": self.hint,
        }


def diagnose(failed: FailedCommand, context: FailureContext) -> Diagnosis:
    """Diagnose a failed command of the build graph."""
    short = tuple(context.shorten(line) for line in failed.lines)
    diagnostics = tuple(read_diagnostics(short))
    shown = shorten(context.shorten(failed.command))
    found = Diagnosis(failed.output, failed.name, failed.command, shown, short, diagnostics)
    match = find_cause(
        failed.text,
        exit_code=failed.exit_code,
        silent=failed.silent,
        full=context.tightest_place().full,
    )
    return _with_cause(found, match, context)


def diagnose_text(name: str, output: str, context: FailureContext) -> Diagnosis:
    """Diagnose a failure from the whole output of a program such as CMake.

    CMake continues after an error, so the first one is more likely to be the cause than those that follow.
    """
    lines = tuple(context.shorten(output).splitlines())
    found = Diagnosis("", name, "", "", lines, tuple(read_diagnostics(lines)))
    full = context.tightest_place().full
    first = _CMAKE_ERROR.split(output, maxsplit=2)[1:2]
    matches = (find_cause(text, full=full) for text in (*first, output))
    return _with_cause(found, next(filter(None, matches), None), context)


def _with_cause(found: Diagnosis, match: Match | None, context: FailureContext) -> Diagnosis:
    if match is None:
        return found
    row = match.cause
    words = look_up(row.ask, match.words, found.output, context)
    hint = _fill(row.hint, words) or _fill(row.otherwise, words)
    cause = _fill(row.cause, words) or row.cause.partition(":")[0]
    return replace(found, cause_id=row.id, cause=cause, hint=hint, remedy=row.remedy)


def _fill(text: str, words: Mapping[str, str]) -> str:
    """Fill in the placeholders; return an empty string when a value is unknown."""
    names = {name for _, name, _, _ in string.Formatter().parse(text) if name}
    return text.format_map(words) if names <= set(words) else ""


def render(found: Diagnosis) -> str:
    """Render the text between message and hint: command, diagnostics by file, likely cause."""
    blocks = []
    if found.shown_command:
        blocks.append(found.shown_command)
    blocks += map(_cut, _render_groups(found.diagnostics) or _raw(found.lines))
    if found.cause:
        blocks.append(f"likely cause: {found.cause}")
    return "\n".join(blocks)


def _render_groups(diagnostics: Sequence[Diagnostic]) -> list[str]:
    lines = []
    left = MOST_DIAGNOSTICS
    groups = by_file(diagnostics)
    for file, group in groups.items():
        if file and left > 0:
            lines.append(file)
        for diagnostic in group[: max(0, left)]:
            lines += _render_one(diagnostic, indent="  " if file else "")
        left -= len(group)
    if left < 0:
        lines.append(f"... and {-left} more in the log")
    return lines


def _render_one(found: Diagnostic, indent: str) -> list[str]:
    place = f"{found.line}:{found.column or ''}".rstrip(":") + " " if found.line else ""
    notes = f"  (+{found.notes} note{'s' if found.notes > 1 else ''})" if found.notes else ""
    excerpt = [f"{indent}  {line}" for line in found.excerpt]
    return [f"{indent}{place}{found.severity}: {found.text}{notes}", *excerpt]


def _raw(lines: Sequence[str]) -> list[str]:
    shown = [line for line in lines if not _STACK_FRAME.match(line)]
    if len(shown) <= RAW_LINES:
        return shown
    return [f"... {len(shown) - RAW_LINES} earlier lines in the log", *shown[-RAW_LINES:]]


def _cut(line: str) -> str:
    """Truncate a line; generated code can have very long ones."""
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} ..."
