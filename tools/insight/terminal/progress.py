"""Show the progress of a build: on a terminal, in a log, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from tools.base.console import Display, paint

from .lines import about, clock_time, step_name
from .tally import Forecast, Tally
from .waiting import Ticker

if TYPE_CHECKING:
    from tools.setup_helpers.ninja.run import HitRate, Progress

# CI services terminate a job that prints nothing for minutes.
_SILENCE = 60.0


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


# Print a line after this share of the build, but at most one per this many seconds.
_SHARE, _PAUSE = 0.05, 5.0


class PlainProgress:
    """Prints at most about twenty lines, plus a line per minute when a step takes long."""

    def __init__(self, display: Display, tally: Tally) -> None:
        self._display = display
        self._tally = tally
        self._reported_share = 0.0
        self._reported_at = tally.clock()
        self._ticker = Ticker(self._keep_alive, period=1.0)
        self._ticker.start()

    def started(self, text: str) -> None:
        with self._ticker.lock:
            self._tally.started(text)

    def advance(self, done: int, total: int, text: str) -> None:
        with self._ticker.lock:
            self._tally.ended(done, total, text)
            share = done / total
            waited = self._tally.clock() - self._reported_at
            if done < total and share - self._reported_share >= _SHARE and waited >= _PAUSE:
                self._report()

    def failed(self, text: str) -> None:
        self._tally.failed.append(text)
        self.line(paint(f"failed: {step_name(text)}", "red", self._display.colour))

    def line(self, text: str) -> None:
        print(text, file=self._display.stream, flush=True)

    def close(self) -> None:
        self._ticker.stop()

    def _keep_alive(self) -> None:
        if self._tally.clock() - self._reported_at >= _SILENCE:
            self._report()

    def _report(self) -> None:
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
        self._reported_share = tally.done / tally.total if tally.total else 0.0
        self._reported_at = tally.clock()


@dataclass
class EveryStep:
    """Prints one line per step, and all output of the commands."""

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
    """Prints nothing, for --quiet; failures are printed when the build has ended."""

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
