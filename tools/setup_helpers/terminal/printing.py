"""The one place that prints an error."""

from __future__ import annotations

import os
import sys

from ..errors import BuildError


def wants_colour() -> bool:
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ


def print_error(error: BuildError) -> None:
    """To standard error, after what was printed before."""
    sys.stdout.flush()
    print(error.render(wants_colour()), file=sys.stderr, flush=True)
