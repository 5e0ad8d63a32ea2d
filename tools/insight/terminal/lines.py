"""Format what a run prints: its lines, durations, and short names for the steps of the build graph.

Long lines are folded on a terminal; a log gets them unchanged.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from functools import lru_cache

from tools.base.console import Display, paint

_MADE = re.compile(r"(?:Building|Linking) .+? (?P<output>\S+)$")
_OBJECT = re.compile(
    r"(?:.*/)?CMakeFiles/(?P<target>[^/]+)\.dir/(?:.*/)?(?P<source>[^/]+)\.(?:o|obj)$"
)


def clock_time(seconds: float) -> str:
    """Format seconds like a stopwatch: 0:07, 12:30, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def about(seconds: float) -> str:
    """Format seconds with the limited precision of a forecast: 8 s, 45 s, 3:20, 1 h 05."""
    if seconds < 20:
        return f"{max(1, round(seconds))} s"
    if seconds < 60:
        return f"{5 * round(seconds / 5)} s"
    if seconds < 3600:
        return clock_time(10 * round(seconds / 10))
    return f"{int(seconds) // 3600} h {int(seconds) % 3600 // 60:02}"


@dataclass(frozen=True)
class StepName:
    """A step's short name, and the library or program (`target`) it belongs to."""

    name: str
    target: str = ""
    output: str = ""
    """The output as Ninja's log spells it; empty if the description does not contain it."""

    def __str__(self) -> str:
        return f"{self.name} ({self.target})" if self.target else self.name


@lru_cache(maxsize=4096)
def step_name(description: str) -> StepName:
    """Parse a description; steps other than compilations and links keep theirs as the name."""
    if not (made := _MADE.match(description)):
        return StepName(description)
    return output_name(made["output"])


def output_name(output: str) -> StepName:
    """Return the name of the step that builds a file; files other than objects are linked."""
    if match := _OBJECT.match(output):
        return StepName(match["source"], match["target"], output)
    return StepName(f"link {output.rpartition('/')[2]}", "", output)


_NAME, _SECONDS = 10, 7
_INDENT = _NAME + 1 + _SECONDS + len(" s  ")
# On a narrower terminal, there is no room for a column of notes.
_NARROW = 60
# If the column would be narrower than this, its further lines start near the left edge.
_NARROWEST = 30


def step_line(name: str, seconds: float | None, note: str, display: Display) -> str:
    """Format one line; on a terminal, the note is wrapped in a column and the name is bold."""
    time = " " * (_SECONDS + 2) if seconds is None else f"{seconds:{_SECONDS}.2f} s"
    if display.live:
        columns, _ = display.size()
        indent = _INDENT if columns >= _NARROW else 2
        note = _wrapped(note, columns, indent)
    head = (
        f"{paint(f'{name:<{_NAME}}', 'bold', display.colour)} {paint(time, 'dim', display.colour)}"
    )
    return f"{head}  {note}".rstrip()


def _wrapped(note: str, columns: int, indent: int) -> str:
    """Wrap a note whose first line starts after the time."""
    lines = textwrap.wrap(
        note,
        max(columns - 1, _INDENT + 10),
        initial_indent=" " * _INDENT,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return "\n".join(lines)[_INDENT:]


def fold(text: str, display: Display) -> str:
    """Fold lines that are too long for the terminal between words."""
    if not display.live:
        return text
    columns = display.size()[0] - 1
    return "\n".join(row for line in text.split("\n") for row in _folded(line, columns))


def _folded(line: str, columns: int) -> list[str]:
    if len(line) <= columns:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(
        line, columns, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def hang(text: str, indent: int, display: Display) -> str:
    """Fold a text that starts after `indent` characters of its line."""
    if not display.live:
        return text
    columns = display.size()[0] - 1
    narrow = columns - indent < _NARROWEST
    rows = textwrap.wrap(
        text,
        max(columns, indent + _NARROWEST // 2),
        initial_indent=" " * indent,
        subsequent_indent=" " * (4 if narrow else indent),
        break_on_hyphens=False,
        break_long_words=False,
    )
    return "\n".join(rows)[indent:]
