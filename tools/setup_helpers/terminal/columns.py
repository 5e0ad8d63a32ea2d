"""Text in the last column of a table: wrapped where a person reads it, one line in a log."""

from __future__ import annotations

import textwrap

from .stream import Display

# Where the column would be narrower, its further lines begin near the left edge.
_NARROWEST = 30


def hang(text: str, indent: int, display: Display) -> str:
    """The text as it goes on after `indent` characters of its line."""
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
