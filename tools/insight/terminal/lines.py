"""Format the lines that a run prints: a name, a time, and a note."""

from __future__ import annotations

import textwrap

from tools.base.console import Display, paint

_NAME, _SECONDS = 10, 7
_INDENT = _NAME + 1 + _SECONDS + len(" s  ")
# On a narrower terminal, there is no room for a column of notes.
_NARROW = 60


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
