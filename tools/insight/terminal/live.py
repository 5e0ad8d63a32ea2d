"""Progress on a terminal: a bar and the running jobs, drawn by a thread a few times a second."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from tools.base.console import paint

from .lines import step_name
from .tally import Tally
from .waiting import Ticker

if TYPE_CHECKING:
    from tools.base.console import Display

_PERIOD = 0.1
_MOST_ROWS = 8


class LiveProgress:
    """Records what happens; a thread draws it. `hit_rate` asks the compiler cache."""

    def __init__(
        self, display: Display, tally: Tally, hit_rate: Callable[[], float | None]
    ) -> None:
        from .region import Region

        self._display = display
        self._tally = tally
        self._hit_rate = hit_rate
        self._region = Region(display)
        self._rows: list[str | None] = []
        self._above: list[str] = []
        self._ticker = Ticker(self._paint, _PERIOD)
        self._ticker.start()

    def started(self, text: str) -> None:
        with self._ticker.lock:
            self._tally.started(text)

    def advance(self, done: int, total: int, text: str) -> None:
        with self._ticker.lock:
            self._tally.ended(done, total, text)

    def failed(self, text: str) -> None:
        with self._ticker.lock:
            self._tally.failed.append(text)
            self._above.append(paint(f"failed: {step_name(text)}", "red", self._display.colour))

    def line(self, text: str) -> None:
        with self._ticker.lock:
            self._above.append(text)

    def close(self) -> None:
        self._ticker.stop()
        with self._ticker.lock, suppress(OSError):
            self._region.paint([], self._above)

    def _paint(self) -> None:
        from .view import ASCII, UNICODE, Frame, render

        columns, rows = self._display.size()
        self._place_jobs(min(_MOST_ROWS, self._tally.forecast.jobs, max(0, rows - 3)))
        frame = Frame(self._tally, self._rows, self._hit_rate())
        glyphs = UNICODE if self._display.unicode else ASCII
        above, self._above = self._above, []
        self._region.paint(render(frame, columns, glyphs), above)

    def _place_jobs(self, rows: int) -> None:
        """Give free rows to the oldest jobs without one; a job keeps its row until it ends."""
        kept = [job if job in self._tally.running else None for job in self._rows[:rows]]
        kept += [None] * (rows - len(kept))
        waiting = [job for job in self._tally.running if job not in kept]
        for row, job in enumerate(kept):
            if job is None and waiting:
                kept[row] = waiting.pop(0)
        self._rows = sorted(kept, key=lambda job: job is None)
