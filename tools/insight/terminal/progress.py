"""Show the progress of a build: on a terminal, in a log, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.base.console import Display

from .plain import EveryStep, PlainProgress, Silent
from .tally import Forecast, Tally

if TYPE_CHECKING:
    from tools.setup_helpers.ninja.run import HitRate, Progress


def make_progress(
    display: Display,
    forecast: Forecast,
    hit_rate: HitRate = lambda: None,
    *,
    verbose: bool = False,
    quiet: bool = False,
) -> Progress:
    """Create the progress for a display; rich is imported only if something is drawn with it."""
    if quiet:
        return Silent()
    if verbose:
        return EveryStep(display.stream)
    if display.live:
        try:
            from .live import LiveProgress

            return LiveProgress(display, Tally(forecast), hit_rate)
        except ImportError:
            pass  # an environment without the build requirements
    return PlainProgress(display, Tally(forecast))
