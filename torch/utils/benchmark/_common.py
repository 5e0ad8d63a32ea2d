"""Measurements: tasks, times and their statistics."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

MAX_SIGNIFICANT_FIGURES = 4
MIN_CONFIDENCE_INTERVAL = 25e-9
"""Seconds; a clock does not resolve less."""
IQR_WARNING, IQR_GROSS_WARNING = 0.1, 0.25
_CAUSES = {
    True: "could indicate system fluctuation",
    False: "suggests significant environmental influence",
}
_UNITS = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}


@dataclass(frozen=True, repr=False)
class TaskSpec:
    """The task of a Timer, without the names that the statement uses.

    Example:
        >>> from torch.utils.benchmark import TaskSpec
        >>> TaskSpec("x + 1", "x = 2").title
        'x + 1'
    """

    stmt: str
    setup: str = ""
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement, and the sub-label."""
        if self.label is None and "\n" in self.stmt:
            return f"stmt:{_indented(self.stmt)}"
        name = self.stmt if self.label is None else self.label
        return name + (f": {self.sub_label}" if self.sub_label else "")

    def setup_str(self) -> str:
        """Return the setup as a report shows it."""
        if not self.setup or self.setup == "pass":
            return ""
        return f"setup:{_indented(self.setup)}\n" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Return the title, the description and the setup."""
        title = self.title + ("\n" if "\n" in self.title else "")
        return "\n".join(part for part in (title, self.description, self.setup_str()) if part)


def _indented(text: str) -> str:
    return "\n" + "\n".join("  " + line for line in text.strip().splitlines())


@dataclass(init=True, repr=False)
class Measurement:
    """The times of a statement: how long `number_per_run` calls took, several times.

    Example:
        >>> from torch.utils.benchmark import Measurement, TaskSpec
        >>> m = Measurement(10, [1.0, 2.0, 3.0], TaskSpec("f()", "pass"))
        >>> m.median, round(m.mean, 3), round(m.iqr, 3)
        (0.2, 0.2, 0.1)
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = field(default=None)

    def __getattr__(self, name: str) -> Any:
        """Return a field of the task."""
        if name in TaskSpec.__dataclass_fields__ or name == "title":
            return getattr(self.task_spec, name)
        raise AttributeError(name)

    @property
    def times(self) -> list[float]:
        """The seconds per call, of each run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        """The median of the times."""
        return statistics.median(self.times)

    @property
    def mean(self) -> float:
        """The mean of the times."""
        return statistics.fmean(self.times)

    def _quantile(self, fraction: float) -> float:
        times = sorted(self.times)
        place = fraction * (len(times) - 1)
        low = math.floor(place)
        high = min(low + 1, len(times) - 1)
        return times[low] + (times[high] - times[low]) * (place - low)

    @property
    def iqr(self) -> float:
        """The distance between the quartiles."""
        return self._quantile(0.75) - self._quantile(0.25)

    @property
    def significant_figures(self) -> int:
        """The number of digits that the spread of the times supports."""
        n = len(self.times)
        if not n:
            return 0
        spread = max(self.iqr / 1.35 / math.sqrt(n) * 1.645, MIN_CONFIDENCE_INTERVAL)
        figures = math.floor(math.log10(max(self.median, 1e-12) / spread))
        return max(1, min(figures, MAX_SIGNIFICANT_FIGURES))

    @property
    def has_warnings(self) -> bool:
        """Whether the times vary too much to be trusted."""
        return not self.meets_confidence()

    def meets_confidence(self, threshold: float = IQR_WARNING) -> bool:
        """Return whether the quartiles are within a fraction of the median."""
        return self.iqr / self.median < threshold

    @property
    def env(self) -> str | None:
        """The environment's name."""
        return self.task_spec.env

    @property
    def as_row_name(self) -> str:
        """The name of the measurement's row in a table."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        """Show the task, the statistics, and whether they can be trusted."""
        unit, scale = select_unit(self.median)
        count = len(self.raw_times)

        def value(x: float) -> str:
            return f"{x / scale:.2f}"

        shown = [super().__repr__(), self.task_spec.summarize()]
        name = "Median: " if count > 1 else ""
        shown.append(f"  {name}{value(self.median)} {unit}")
        if count >= 4:
            quartiles = f"({value(self._quantile(0.25))} to {value(self._quantile(0.75))})"
            shown.append(f"  IQR:    {value(self.iqr)} {unit} {quartiles}")
        measurements = f"{count} measurement{'s' if count > 1 else ''}"
        runs = f"{self.number_per_run} runs {'per measurement,' if count > 1 else ','}"
        threads = f"{self.num_threads} thread" + ("s" if self.num_threads > 1 else "")
        shown.append(f"  {measurements}, {runs} {threads}")
        if self.has_warnings:
            share = self.iqr / self.median * 100
            shown += [
                f"  WARNING: Interquartile range is {share:.1f}% of the median measurement.",
                f"           This {_CAUSES[self.meets_confidence(IQR_GROSS_WARNING)]}.",
            ]
        return "\n".join(shown)

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Join the measurements of equal tasks.

        Args:
            measurements: The measurements; their order is kept.
        """
        groups: dict[TaskSpec, list[Measurement]] = {}
        for each in measurements:
            groups.setdefault(each.task_spec, []).append(each)
        return [
            Measurement(1, [t for each in group for t in each.times], task)
            for task, group in groups.items()
        ]


# PyTorch's module, which pickles contain.
TaskSpec.__module__ = Measurement.__module__ = "torch.utils.benchmark.utils.common"


def select_unit(t: float) -> tuple[str, float]:
    """Return a unit for a time in seconds, and its length.

    Args:
        t: The time.

    Example:
        >>> torch.utils.benchmark.select_unit(0.002)
        ('ms', 0.001)
    """
    index = max(0, min(3, math.floor(math.log10(t) / 3) + 3)) if t > 0 else 0
    return list(_UNITS)[index], 10.0 ** (3 * index - 9)


def unit_to_english(u: str) -> str:
    """Return the name of a unit.

    Args:
        u: The unit.

    Example:
        >>> torch.utils.benchmark.unit_to_english("us")
        'microsecond'
    """
    return _UNITS[u]


def trim_sigfig(x: float, n: int) -> float:
    """Round to a number of significant digits.

    Args:
        x: The number.
        n: The number of digits.

    Example:
        >>> torch.utils.benchmark.trim_sigfig(123.456, 2)
        120.0
    """
    if x == 0:
        return 0.0
    scale = 10 ** (math.floor(math.log10(abs(x))) + 1 - n)
    return float(round(x / scale) * scale) if scale >= 1 else round(x, -round(math.log10(scale)))


def ordered_unique(elements: Iterable[Any]) -> list[Any]:
    """Return the distinct elements in the order in which they come.

    Args:
        elements: The elements.

    Example:
        >>> torch.utils.benchmark.ordered_unique("abac")
        ['a', 'b', 'c']
    """
    return list(dict.fromkeys(elements))


@contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Use a number of threads for the length of a block.

    Args:
        n: The number.

    Example:
        >>> with torch.utils.benchmark.set_torch_threads(1):
        ...     torch.get_num_threads()
        1
    """
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)
