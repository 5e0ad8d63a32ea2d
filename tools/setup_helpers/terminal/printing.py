"""The one place that prints an error."""

from __future__ import annotations

import os
import sys

from ..errors import BuildError
from .colours import Highlighter
from .stream import display_of

# What a reader looks for first, in an error of ours and in a compiler's.
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
    """To standard error, after what was printed before."""
    sys.stdout.flush()
    text = error.render()
    coloured = display_of(sys.stderr, os.environ).colour
    print(_HIGHLIGHTS(text) if coloured else text, file=sys.stderr, flush=True)
