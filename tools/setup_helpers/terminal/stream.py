"""What an output stream can show: whether it is painted over, coloured, and how wide it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

# No colours, cursor or clearing: the terminals of editors and of old printers.
_DUMB = ("", "dumb")
_WIDTH_OF_A_PIPE = 100


@dataclass(frozen=True)
class Display:
    """A stream and what its reader has: a person at a terminal, or a log."""

    stream: TextIO
    live: bool
    """Lines may be painted over."""
    colour: bool
    reflows: bool
    """A line that no longer fits after a resize goes on in the next row, instead of being cut."""

    @property
    def unicode(self) -> bool:
        return (self.stream.encoding or "").lower().replace("-", "") == "utf8"

    def size(self) -> tuple[int, int]:
        """Columns and rows as they are now; no variable is asked, since a resize changes none."""
        try:
            columns, rows = os.get_terminal_size(self.stream.fileno())
        except (OSError, ValueError):
            return _WIDTH_OF_A_PIPE, 24
        return columns or 80, rows or 24


def display_of(stream: TextIO, environ: Mapping[str, str]) -> Display:
    """By NO_COLOR, FORCE_COLOR, TERM and CI, as the programs that a build runs read them."""
    capable = stream.isatty() and environ.get("TERM", "") not in _DUMB
    forced = environ.get("FORCE_COLOR", "")
    wanted = forced != "0" if forced else capable
    return Display(
        stream,
        live=capable and environ.get("CI", "").lower() in ("", "0", "false"),
        colour=wanted and not environ.get("NO_COLOR"),
        reflows=not _cuts_lines(environ),
    )


def _cuts_lines(environ: Mapping[str, str]) -> bool:
    """xterm, rxvt and GNU screen."""
    term = environ.get("TERM", "")
    return (
        "XTERM_VERSION" in environ
        or term.startswith("rxvt")
        or (term.startswith("screen") and "TMUX" not in environ)
    )
