"""How a build is followed while it runs: by a person at a terminal, in a log, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .plain import EveryStep, PlainProgress, Silent
from .stream import Display
from .tally import Forecast, Tally

HitRate = Callable[[], float | None]
"""The share of compilations that a compiler cache has answered so far, 0 to 1."""


class Progress(Protocol):
    """What happens, as it happens. Steps go by the words that Ninja describes them with."""

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
    """The one that suits the display; rich is imported only where something is painted."""
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
