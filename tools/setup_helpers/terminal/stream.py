"""The capabilities of an output stream: whether it can be redrawn or coloured, and its width."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

# Terminals without colours, cursor movement or clearing, for example in editors.
_DUMB = ("", "dumb")
_WIDTH_OF_A_PIPE = 100


@dataclass(frozen=True)
class Display:
    """A stream and its capabilities; it may be a terminal or a log."""

    stream: TextIO
    live: bool
    """Whether lines may be redrawn."""
    colour: bool
    reflows: bool
    """Whether a line that no longer fits after a resize wraps instead of being cut off."""

    @property
    def unicode(self) -> bool:
        return (self.stream.encoding or "").lower().replace("-", "") == "utf8"

    def size(self) -> tuple[int, int]:
        """Return the current columns and rows; COLUMNS is ignored, since a resize does not change it."""
        try:
            columns, rows = os.get_terminal_size(self.stream.fileno())
        except (OSError, ValueError):
            return _WIDTH_OF_A_PIPE, 24
        return columns or 80, rows or 24


def display_of(stream: TextIO, environ: Mapping[str, str]) -> Display:
    """Determine the capabilities from NO_COLOR, FORCE_COLOR, TERM and CI, as compilers do."""
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
    """Return whether the terminal is xterm, rxvt or GNU screen, which cut lines off."""
    term = environ.get("TERM", "")
    return (
        "XTERM_VERSION" in environ
        or term.startswith("rxvt")
        or (term.startswith("screen") and "TMUX" not in environ)
    )
