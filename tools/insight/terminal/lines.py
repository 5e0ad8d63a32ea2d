"""Format the lines that a run prints, and fold long ones on a terminal; a log gets them unchanged."""

from __future__ import annotations

import textwrap

from tools.base.console import Display, paint

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
