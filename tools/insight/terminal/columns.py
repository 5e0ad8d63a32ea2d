"""Fold long lines on a terminal; a log gets them unchanged."""

from __future__ import annotations

import textwrap

from tools.base.console import Display

# If the column would be narrower than this, its further lines start near the left edge.
_NARROWEST = 30


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
