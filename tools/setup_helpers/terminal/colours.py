"""Colours for output that is printed line by line; rich colours the region that is redrawn."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def paint(text: str, style: str, wanted: bool = True) -> str:
    """Colour a text with a style like "bold red"; return it unchanged unless colour is wanted."""
    if not wanted or not text:
        return text
    codes = ";".join(_CODES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m"


class Highlighter:
    """Colours the matches of its rules: (pattern, style). `^` matches at the start of a line."""

    def __init__(self, rules: Sequence[tuple[str, str]]) -> None:
        self._styles = [style for _, style in rules]
        # In one pass, so that no rule matches inside text that is coloured already.
        self._pattern = re.compile("|".join(f"({pattern})" for pattern, _ in rules), re.MULTILINE)

    def __call__(self, text: str) -> str:
        return self._pattern.sub(self._painted, text)

    def _painted(self, match: re.Match[str]) -> str:
        return paint(match[0], self._styles[(match.lastindex or 1) - 1])
