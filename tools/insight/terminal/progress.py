"""Show the progress of a build: on a terminal, in a log, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tools.base.console import Display

from .plain import EveryStep, PlainProgress, Silent
from .tally import Forecast, Tally

HitRate = Callable[[], float | None]
"""The share of compilations that the compiler cache answered so far, 0 to 1."""


class Progress(Protocol):
    """Receives the events of a build; `text` is Ninja's description of a step."""

    def started(self, text: str) -> None: ...
    def advance(self, done: int, total: int, text: str) -> None: ...
    def failed(self, text: str) -> None: ...
    def line(self, text: str) -> None: ...
    def close(self) -> None: ...


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
