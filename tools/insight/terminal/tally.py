"""Track the progress of a build: steps that started and ended, and an estimate of the time left.

The cost of steps that have never run here is estimated from their sources, to forecast a first build.
"""

from __future__ import annotations

import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.base.ninja_log import last_durations
from tools.setup_helpers.table.config import Config

from .lines import output_name, step_name

# After this many steps, the measured speed has the same weight as the expected one.
_TRUST = 2
# Without a log of an earlier build, there is no estimate until this many steps have ended.
_SAMPLE = 5
# After this many steps of a target, its own speed has the same weight as that of the whole build.
_TARGET_TRUST = 6
_SOURCE = re.compile(r"(?:.*/)?CMakeFiles/[^/]+\.dir/(.*)\.(?:o|obj)$")
# The cost of including headers, in bytes of source. Fitted to a recorded build of the library: values
# from 20,000 to 80,000 predict it about equally well.
_HEADERS = 40_000
# The cost of other steps, such as links and copies, in bytes of source.
_OTHER = 8_000


@dataclass(frozen=True)
class Forecast:
    """What is known before the build: which steps will run, and how long each took last time."""

    seconds: Mapping[str, float] = field(default_factory=dict)
    """Output, as Ninja's log spells it -> seconds."""
    planned: Collection[str] = ()
    """Descriptions of the steps that Ninja is going to run."""
    jobs: int = 1
    costs: Mapping[str, float] = field(default_factory=dict)
    """Output -> work of a step without a recorded time, as a multiple of an average step."""

    @property
    def mean(self) -> float:
        return sum(self.seconds.values()) / len(self.seconds) if self.seconds else 1.0


@dataclass
class _Speed:
    """The expected and actual seconds of steps that ended."""

    steps: int = 0
    expected: float = 0.0
    taken: float = 0.0

    def note(self, expected: float, taken: float) -> None:
        self.steps += 1
        self.expected += expected
        self.taken += taken

    @property
    def factor(self) -> float:
        return self.taken / self.expected if self.expected and self.taken else 1.0


class _Speeds:
    """The slowdown of each target, relative to that of all targets.

    Files of one target include the same headers, so they are slow or fast together. A target with few
    ended steps counts as average.
    """

    def __init__(self) -> None:
        self.overall = _Speed()
        self._targets: defaultdict[str, _Speed] = defaultdict(_Speed)

    def note(self, target: str, expected: float, taken: float) -> None:
        self.overall.note(expected, taken)
        self._targets[target].note(expected, taken)

    def relative(self, target: str) -> float:
        own, all_steps = self._targets.get(target), self.overall
        if own is None or not all_steps.expected:
            return 1.0
        prior = _TARGET_TRUST * all_steps.expected / all_steps.steps
        average = all_steps.factor
        return (own.taken + prior * average) / (own.expected + prior) / average


class Tally:
    """Counts the steps that Ninja reports."""

    def __init__(
        self, forecast: Forecast | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.forecast = forecast or Forecast()
        self.clock = clock
        self.began = clock()
        self.done = 0
        self.total = len(self.forecast.planned)
        self.running: dict[str, float] = {}
        """Description -> start time, oldest first."""
        self.failed: list[str] = []
        self._mean = self.forecast.mean
        self._pending = {text: self.expected(text) for text in self.forecast.planned}
        self._ended: defaultdict[str, float] = defaultdict(float)
        """Target -> expected seconds of its steps that ended."""
        self._speeds = _Speeds()

    @property
    def elapsed(self) -> float:
        return self.clock() - self.began

    def expected(self, text: str) -> float:
        """Return the expected seconds of a step, from the last build or from its estimated work."""
        output = step_name(text).output
        known = self.forecast.seconds.get(output)
        return self._mean * self.forecast.costs.get(output, 1.0) if known is None else known

    def started(self, text: str) -> None:
        self.running[text] = self.clock()
        if text in self.failed:  # it is retried
            self.failed.remove(text)

    def ended(self, done: int, total: int, text: str) -> None:
        self.done, self.total = done, total
        began = self.running.pop(text, None)
        expected, target = self._pending.pop(text, self.expected(text)), step_name(text).target
        self._ended[target] += expected
        if began is not None:
            self._speeds.note(target, expected, self.clock() - began)

    def remaining(self) -> float | None:
        """Estimate the seconds until the end; None if it is too early to tell."""
        if not self.forecast.seconds and self.done < min(_SAMPLE, self.total):
            return None
        left = self.total - self.done
        busy = (
            min(1.0, left / self.forecast.jobs) if left else 1.0
        )  # the last steps leave cores idle
        begun = self._work_begun()
        return max(0.0, self._work_left(left) - begun) * self._pace(begun) / busy

    def _pace(self, begun: float) -> float:
        """Return the seconds per second of work.

        This is a geometric mean, since a cache makes steps many times faster than expected, and a busy
        machine makes them many times slower.
        """
        expected = 1 / self.forecast.jobs
        ended = sum(work * self._speeds.relative(t) for t, work in self._ended.items())
        if not ended:
            return expected
        trust = _TRUST / (_TRUST + self.done) if self.forecast.seconds else 0.0
        return float(expected**trust * (self.elapsed / (ended + begun)) ** (1 - trust))

    def _work_begun(self) -> float:
        """Estimate the work that the running steps have done, from their elapsed times."""
        now, factor = self.clock(), self._speeds.overall.factor
        return sum(
            min((now - began) / factor, self._work(text, self.expected(text)))
            for text, began in self.running.items()
        )

    def _work_left(self, left: int) -> float:
        planned = sum(self._work(text, expected) for text, expected in self._pending.items())
        if len(self._pending) > left:  # some turned out to be unnecessary
            planned *= left / len(self._pending)
        return planned + max(0, left - len(self._pending)) * self._mean

    def _work(self, text: str, expected: float) -> float:
        return expected * self._speeds.relative(step_name(text).target)


def forecast_of(config: Config, build_dir: Path, steps: Collection[str], jobs: int) -> Forecast:
    """Create a forecast from the times in Ninja's log; steps without one are estimated."""
    seconds = last_durations(build_dir)
    unknown = [output for step in steps if (output := step_name(step).output) not in seconds]
    relative = {library.name: library.relative_cost for library in config.libraries}
    costs = estimated_costs(unknown, relative, (config.root, build_dir)) if unknown else {}
    return Forecast(seconds, steps, jobs, costs)


def estimated_costs(
    outputs: Iterable[str], relative: Mapping[str, float], places: Iterable[Path]
) -> dict[str, float]:
    """Estimate output -> work as a multiple of their average; `relative` holds costs per library."""
    places = tuple(places)
    return as_multiples(
        {
            output: cost_of(output, _source_bytes(output, places), relative)
            for output in outputs
            if output
        }
    )


def cost_of(output: str, source_bytes: int, relative: Mapping[str, float]) -> float:
    """Estimate the work in bytes of ordinary source; `source_bytes` is 0 if nothing is compiled."""
    if not source_bytes:
        return _OTHER
    return (_HEADERS + source_bytes) * relative.get(output_name(output).target, 1.0)


def as_multiples(costs: Mapping[str, float]) -> dict[str, float]:
    """Divide all costs by their average."""
    mean = sum(costs.values()) / len(costs) if costs else 1.0
    return {output: cost / mean for output, cost in costs.items()}


def _source_bytes(output: str, places: Iterable[Path]) -> int:
    """Return the size of an object's source, which has the same path in one of the places; else 0."""
    if not (match := _SOURCE.match(output)):
        return 0
    for place in places:
        try:
            return os.stat(place / match[1]).st_size
        except OSError:
            continue
    return 0
