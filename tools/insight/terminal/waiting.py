"""A status line for a slow step, and the thread that redraws it."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from .lines import clock_time

if TYPE_CHECKING:
    from tools.base.console import Display

    from .region import Region

# A step that ends sooner does not show a line.
_PATIENCE = 0.5
_PERIOD = 0.1
_TURNS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TURNS_ASCII = "|/-\\"


class Waiting:
    """Drawn by a thread until `close`, which may be called more than once."""

    def __init__(self, name: str, display: Display) -> None:
        self.doing = ""
        """May be set at any time."""
        self._name = name
        self._display = display
        self._began = time.monotonic()
        self._turns = itertools.cycle(_TURNS if display.unicode else _TURNS_ASCII)
        self._region: Region | None = None
        self._ticker = Ticker(self._paint, _PERIOD, patience=_PATIENCE)
        self._ticker.start()

    def close(self) -> None:
        self._ticker.stop()
        region, self._region = self._region, None
        if region:
            with suppress(OSError):
                region.paint([])

    def _paint(self) -> None:
        try:
            from rich.text import Text
        except ImportError:
            return  # an environment without the build requirements
        from .region import Region

        self._region = self._region or Region(self._display)
        seconds = clock_time(time.monotonic() - self._began)
        text = Text.assemble(
            (f"{self._name:<10}", "bold"),
            (f" {seconds:>7}", "dim"),
            (f" {next(self._turns)}  ", "green"),
            (self.doing, "dim"),
        )
        self._region.paint([text])


class Ticker:
    """Calls `tick` every `period` seconds, first after `patience`, and holds `lock` during each call."""

    def __init__(
        self, tick: Callable[[], None], period: float, patience: float | None = None
    ) -> None:
        self.lock = threading.Lock()
        """Protects the data that the ticks share with other threads."""
        self._tick = tick
        self._period = period
        self._patience = period if patience is None else patience
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop ticking. May be called more than once, and by the thread itself."""
        self._stopping.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        pause = self._patience
        with suppress(OSError):  # the output is closed; the next write will report that
            while not self._stopping.wait(pause):
                with self.lock:
                    self._tick()
                pause = self._period
