"""Where a build stands: steps begun and ended, and how long the rest will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from .step_names import step_name

# When so many steps have ended, the measured speed weighs as much as the expected one.
_TRUST = 2
# Without a log of an earlier build, nothing is said before so many steps have ended.
_SAMPLE = 5


@dataclass(frozen=True)
class Forecast:
    """What is known before the build: who will run, and how long each took the last time."""

    seconds: Mapping[str, float] = field(default_factory=dict)
    """By output, as Ninja's log spells it."""
    planned: Collection[str] = ()
    """Descriptions of the steps that Ninja is going to run."""
    jobs: int = 1

    @property
    def mean(self) -> float:
        return sum(self.seconds.values()) / len(self.seconds) if self.seconds else 1.0


class Tally:
    """Counts as Ninja reports."""

    def __init__(
        self, forecast: Forecast | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.forecast = forecast or Forecast()
        self.clock = clock
        self.began = clock()
        self.done = 0
        self.total = len(self.forecast.planned)
        self.running: dict[str, float] = {}
        """Description -> when it began, oldest first."""
        self.failed: list[str] = []
        self._mean = self.forecast.mean
        self._pending = {text: self.expected(text) for text in self.forecast.planned}
        self._work_ended = 0.0

    @property
    def elapsed(self) -> float:
        return self.clock() - self.began

    def expected(self, text: str) -> float:
        """Seconds that the step takes: as in the last build, or the average of its steps."""
        return self.forecast.seconds.get(step_name(text).output, self._mean)

    def started(self, text: str) -> None:
        self.running[text] = self.clock()
        if text in self.failed:  # tried again
            self.failed.remove(text)

    def ended(self, done: int, total: int, text: str) -> None:
        self.done, self.total = done, total
        self.running.pop(text, None)
        self._work_ended += self._pending.pop(text, self.expected(text))

    def remaining(self) -> float | None:
        """Seconds until the end, at the speed measured so far; None while nobody can know."""
        if not self.forecast.seconds and self.done < min(_SAMPLE, self.total):
            return None
        left = self.total - self.done
        busy = (
            min(1.0, left / self.forecast.jobs) if left else 1.0
        )  # the last steps leave cores idle
        return self._work_left(left) * self._pace() / busy

    def _pace(self) -> float:
        """Seconds per second of work. A mean of factors, since a cache makes steps many times as
        fast as expected, and a busy machine many times as slow.
        """
        expected = 1 / self.forecast.jobs
        if not self._work_ended:
            return expected
        trust = _TRUST / (_TRUST + self.done) if self.forecast.seconds else 0.0
        return float(expected**trust * (self.elapsed / self._work_ended) ** (1 - trust))

    def _work_left(self, left: int) -> float:
        planned = sum(self._pending.values())
        if len(self._pending) > left:  # some turn out to be unnecessary
            planned *= left / len(self._pending)
        unplanned = max(0, left - len(self._pending))
        begun = sum(
            min(now_running, self.expected(text))
            for text, began in self.running.items()
            for now_running in [self.clock() - began]
        )
        return max(0.0, planned + unplanned * self._mean - begun)
