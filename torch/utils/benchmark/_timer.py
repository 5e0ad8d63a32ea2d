"""Timer: run a statement often enough to know how long it takes."""

from __future__ import annotations

import enum
import textwrap
import timeit
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.benchmark._common import Measurement, TaskSpec, set_torch_threads
from torch.utils.benchmark._counts import CopyIfCallgrind

_LARGEST_BLOCK = 10**6
"""The size at which a block no longer grows, in case the clock stands still."""


def timer() -> float:
    """Return the time in seconds, after the devices have finished their work.

    Example:
        >>> torch.utils.benchmark.timer() <= torch.utils.benchmark.timer()
        True
    """
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return timeit.default_timer()


class Language(enum.Enum):
    """The language of a statement; this build times statements in Python only."""

    PYTHON = 0
    CPP = 1


class Timer:
    """Measure how long a statement takes.

    Args:
        stmt: The statement.
        setup: What runs before each measurement.
        global_setup: Must be empty; it is for C++.
        timer: The clock, in seconds.
        globals: The names that the statement can use, besides `torch`.
        label: What the statement does, for tables.
        sub_label: What sets it apart from others with the same label.
        description: The column of the measurement in tables.
        env: The name of the environment.
        num_threads: The number of threads that torch may use.
        language: Only "python".

    Raises:
        NotImplementedError: For statements in C++.

    Example:
        >>> from torch.utils.benchmark import Timer
        >>> m = Timer("x + y", globals={"x": torch.ones(2), "y": torch.ones(2)}).timeit(10)
        >>> m.number_per_run, m.median > 0
        (10, True)
    """

    _timer_cls: Any = timeit.Timer  # subclasses can measure with another class

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: str = "python",
    ) -> None:
        if str(language).lower() not in ("python", "py", "language.python"):
            raise NotImplementedError(f"Timer: statements in {language} are not supported")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply "
                "be moved to `setup`."
            )
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        stmt, setup = (textwrap.dedent(text.strip("\n")).rstrip() for text in (stmt, setup))
        names = {"torch": torch, **CopyIfCallgrind.unwrap_all(globals or {})}
        self._globals = names
        self._task_spec = TaskSpec(
            stmt, setup, global_setup, label, sub_label, description, env, num_threads
        )
        self._timer = self._timer_cls(stmt=stmt, setup=setup, timer=timer, globals=names)

    def _run(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Run the statement a number of times and measure once.

        Args:
            number: The number of runs; a hundredth as many warm up first.
        """
        with set_torch_threads(self._task_spec.num_threads):
            self._run(max(number // 100, 2))
            return Measurement(number, [self._run(number)], self._task_spec)

    def _block_size(self, min_run_time: float) -> int:
        """Return how many runs take long enough for the clock not to matter."""
        overhead = min(self._clock_overhead() for _ in range(5))
        number = 1
        while True:
            taken = self._run(number)
            enough = min_run_time / 1000
            if (taken >= enough and overhead / taken <= 1e-4) or taken >= min_run_time:
                return number
            if number >= _LARGEST_BLOCK:
                return number
            number *= 10

    def _clock_overhead(self) -> float:
        return max(self._timer.timeit(0), 0.0)

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measure blocks of runs, for at least a given time.

        Args:
            callback: A function that gets the size and the time of each block.
            min_run_time: The seconds that all blocks together take at least.
        """
        with set_torch_threads(self._task_spec.num_threads):
            number = self._block_size(min_run_time)
            times: list[float] = []
            while not times or sum(times) < min_run_time:
                times.append(self._run(number))
                if callback is not None:
                    callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Measure blocks of runs until their times agree.

        Args:
            threshold: The distance of the quartiles, as a fraction of the median, that is enough.
            min_run_time: The seconds that all blocks together take at least.
            max_run_time: The seconds after which to stop.
            callback: A function that gets the size and the time of each block.
        """
        with set_torch_threads(self._task_spec.num_threads):
            number = self._block_size(min_run_time)
            times: list[float] = []
            while True:
                times.append(self._run(number))
                if callback is not None:
                    callback(number, times[-1])
                found = Measurement(number, times, self._task_spec)
                enough = len(times) > 3 and sum(times) >= min_run_time
                if (enough and found.meets_confidence(threshold)) or sum(times) >= max_run_time:
                    return found

    autorange = blocked_autorange
