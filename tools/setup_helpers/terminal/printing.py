"""Print errors; nothing else does."""

from __future__ import annotations

import os
import sys

from ..errors import BuildError
from .colours import Highlighter
from .stream import display_of

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


def print_error(error: BuildError) -> None:
    """Print an error to standard error, after all output so far."""
    sys.stdout.flush()
    text = error.render()
    coloured = display_of(sys.stderr, os.environ).colour
    print(_HIGHLIGHTS(text) if coloured else text, file=sys.stderr, flush=True)
