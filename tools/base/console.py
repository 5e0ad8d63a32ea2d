"""What an output stream can show, colours for lines of text, and the printing of errors."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from .errors import BuildError, environment_error, file_error

# Terminals without colours, cursor movement or clearing, for example in editors.
_DUMB = ("", "dumb")
_WIDTH_OF_A_PIPE = 100
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


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


# The most important parts of an error of the front end or of a compiler.
_HIGHLIGHTS = Highlighter(
    (
        (r"^(?:hint|log):|^ +likely cause:|^ +\d+:\d+ ", "bold"),
        (r"\b(?:fatal )?error:|\bundefined reference\b", "bold red"),
        (r"\bwarning:", "bold yellow"),
        (r"\bnote:", "cyan"),
        (r"^ +\| +[~^][~^ ]*", "green"),
        (r"[^\s:]+:\d+(?::\d+)?:", "bold"),
    )
)


def report(error: BuildError | OSError) -> int:
    """Print an error that ends the program, and return the exit code."""
    known = file_error(error) if isinstance(error, OSError) else error
    lost = _flush()
    if lost and isinstance(error, OSError) and not error.filename:
        known = environment_error(
            f"standard output cannot be written: {lost}", hint="redirect it to another place"
        )
    print_error(known)
    return known.exit_code


def _flush() -> str:
    """Write all output so far; if that is impossible, discard all output and return why."""
    try:
        sys.stdout.flush()
    except OSError as error:
        discard_output()
        return error.strerror or str(error)
    return ""


def discard_output() -> None:
    """Discard what was and will be written to standard output; Python would fail on it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(error: BuildError) -> None:
    """Print an error to standard error, after all output so far."""
    _flush()
    text = error.render()
    coloured = display_of(sys.stderr, os.environ).colour
    print(_HIGHLIGHTS(text) if coloured else text, file=sys.stderr, flush=True)
