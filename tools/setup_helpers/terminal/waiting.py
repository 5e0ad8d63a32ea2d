"""A line for a step that takes its time: what it is called, for how long, and what it does just now."""

from __future__ import annotations

import itertools
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from .durations import clock_time

if TYPE_CHECKING:
    from .region import Region
    from .stream import Display

# A step that ends sooner needs no such line.
_PATIENCE = 0.5
_PERIOD = 0.1
_TURNS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TURNS_ASCII = "|/-\\"


class Waiting:
    """Painted by a thread until `close`, which may be called more than once."""

    def __init__(self, name: str, display: Display) -> None:
        self.doing = ""
        """May be set at any time."""
        self._name = name
        self._display = display
        self._began = time.monotonic()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._show, name="waiting", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _show(self) -> None:
        if self._closing.wait(_PATIENCE):
            return
        try:
            from .region import Region
        except ImportError:
            return  # an environment without the build requirements
        region = Region(self._display)
        with suppress(OSError):  # the terminal is gone; who writes next will hear of it
            for turn in itertools.count():
                self._paint(region, turn)
                if self._closing.wait(_PERIOD):
                    break
            region.paint([])

    def _paint(self, region: Region, turn: int) -> None:
        from rich.text import Text

        turns = _TURNS if self._display.unicode else _TURNS_ASCII
        seconds = clock_time(time.monotonic() - self._began)
        text = Text.assemble(
            (f"{self._name:<10}", "bold"),
            (f" {seconds:>7}", "dim"),
            (f" {turns[turn % len(turns)]}  ", "green"),
            (self.doing, "dim"),
        )
        region.paint([text])
