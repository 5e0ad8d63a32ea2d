"""Progress in a log: a line now and then, or every step where all of it was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from .colours import paint
from .durations import about, clock_time
from .step_names import step_name
from .tally import Tally
from .ticker import Ticker

if TYPE_CHECKING:
    from .stream import Display

# A line after so much of the build, but not within so many seconds of the last one.
_SHARE, _PAUSE = 0.05, 5.0
# Services end a job that says nothing for minutes.
_SILENCE = 60.0


class PlainProgress:
    """At most about twenty lines, and a sign of life when a step takes long."""

    def __init__(self, display: Display, tally: Tally) -> None:
        self._display = display
        self._tally = tally
        self._said_share = 0.0
        self._said_at = tally.clock()
        self._ticker = Ticker(self._keep_alive, period=1.0)
        self._ticker.start()

    def started(self, text: str) -> None:
        with self._ticker.lock:
            self._tally.started(text)

    def advance(self, done: int, total: int, text: str) -> None:
        with self._ticker.lock:
            self._tally.ended(done, total, text)
            share = done / total
            waited = self._tally.clock() - self._said_at
            if done < total and share - self._said_share >= _SHARE and waited >= _PAUSE:
                self._say()

    def failed(self, text: str) -> None:
        self._tally.failed.append(text)
        self.line(paint(f"failed: {step_name(text)}", "red", self._display.colour))

    def line(self, text: str) -> None:
        print(text, file=self._display.stream, flush=True)

    def close(self) -> None:
        self._ticker.stop()

    def _keep_alive(self) -> None:
        if self._tally.clock() - self._said_at >= _SILENCE:
            self._say()

    def _say(self) -> None:
        tally = self._tally
        digits = len(str(tally.total))
        words = [f"[{tally.done:>{digits}}/{tally.total}]"]
        if tally.total:
            words.append(f"{100 * tally.done // tally.total:>3} %")
        words.append(clock_time(tally.elapsed))
        if (remaining := tally.remaining()) is not None:
            words.append(f"about {about(remaining)} left")
        if tally.running:
            words.append(step_name(next(iter(tally.running))).name)
        self.line("  ".join(words))
        self._said_share = tally.done / tally.total if tally.total else 0.0
        self._said_at = tally.clock()


@dataclass
class EveryStep:
    """One line per step, with all that the commands print."""

    stream: TextIO

    def started(self, text: str) -> None:
        pass

    def advance(self, done: int, total: int, text: str) -> None:
        self.line(f"[{done}/{total}] {text}")

    def failed(self, text: str) -> None:
        pass

    def line(self, text: str) -> None:
        print(text, file=self.stream, flush=True)

    def close(self) -> None:
        pass


class Silent:
    """For --quiet: what fails is printed when the build has ended."""

    def started(self, text: str) -> None:
        pass

    def advance(self, done: int, total: int, text: str) -> None:
        pass

    def failed(self, text: str) -> None:
        pass

    def line(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass
