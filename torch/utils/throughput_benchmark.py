"""Measure how many calls per second a module or function answers, called in several threads."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["ExecutionStats", "ThroughputBenchmark", "format_time"]

_UNITS = (("s", 1e6), ("ms", 1e3), ("us", 1.0))


def format_time(
    time_us: float | None = None, time_ms: float | None = None, time_s: float | None = None
) -> str:
    """Return a time in the unit that suits it; pass exactly one argument.

    Args:
        time_us: The time in microseconds.
        time_ms: The time in milliseconds.
        time_s: The time in seconds.

    Example:
        >>> from torch.utils.throughput_benchmark import format_time
        >>> format_time(time_ms=1500), format_time(time_us=2.5)
        ('1.500s', '2.500us')
    """
    times = [t * f for t, f in ((time_us, 1), (time_ms, 1e3), (time_s, 1e6)) if t is not None]
    if len(times) != 1:
        message = f"format_time takes one time, not {len(times)}"
        raise ValueError(message)
    unit, size = next((row for row in _UNITS if times[0] >= row[1]), _UNITS[-1])
    return f"{times[0] / size:.3f}{unit}"


@dataclass(frozen=True)
class _Config:
    """The settings that `torch._C.ThroughputBenchmark.benchmark` reads."""

    num_calling_threads: int
    num_warmup_iters: int
    num_iters: int


@dataclass(frozen=True)
class ExecutionStats:
    """The result of a measurement.

    Example:
        >>> benchmark = torch.utils.ThroughputBenchmark(nn.Linear(1, 1))
        >>> benchmark.add_input(torch.ones(1, 1))
        >>> benchmark.benchmark(num_warmup_iters=1, num_iters=10).num_iters
        10
    """

    latency_avg_ms: float
    """How long a call took on average, in milliseconds."""
    num_iters: int
    """How many calls were measured, in all threads together."""
    num_calling_threads: int
    """How many threads called."""

    @property
    def iters_per_second(self) -> float:
        """How many calls were answered per second, in all threads together."""
        return self.num_iters / self.total_time_seconds

    @property
    def total_time_seconds(self) -> float:
        """How long the measurement took."""
        return self.num_iters * self.latency_avg_ms / 1000 / self.num_calling_threads

    def __str__(self) -> str:
        return "\n".join(
            [
                f"Average latency per example: {format_time(time_ms=self.latency_avg_ms)}",
                f"Total number of iterations: {self.num_iters}",
                "Total number of iterations per second (across all threads): "
                f"{self.iters_per_second:.2f}",
                f"Total time: {format_time(time_s=self.total_time_seconds)}",
            ]
        )


class ThroughputBenchmark:
    """Calls a module or function in several threads, as a server would, and measures the time.

    The threads hold the interpreter's lock between operators, so Python's share of the work does
    not become faster with more of them.

    Args:
        module: A module or any other callable.

    Example:
        >>> from torch.utils import ThroughputBenchmark
        >>> bench = ThroughputBenchmark(torch.nn.Linear(8, 2))
        >>> bench.add_input(torch.ones(4, 8))
        >>> bench.benchmark(num_calling_threads=2, num_iters=10).num_iters
        10
    """

    def __init__(self, module: Any) -> None:
        self._benchmark = torch._C.ThroughputBenchmark(module)

    def run_once(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module once, and return what it returns."""
        return self._benchmark.run_once(*args, **kwargs)

    def add_input(self, *args: Any, **kwargs: Any) -> None:
        """Add the arguments of a call; each measured call takes one of those added, at random."""
        self._benchmark.add_input(*args, **kwargs)

    def benchmark(
        self,
        num_calling_threads: int = 1,
        num_warmup_iters: int = 10,
        num_iters: int = 100,
        profiler_output_path: str = "",
    ) -> ExecutionStats:
        """Measure.

        Args:
            num_calling_threads: How many threads call.
            num_warmup_iters: How many calls each thread makes before the measurement.
            num_iters: How many calls to measure, in all threads together.
            profiler_output_path: A file for the trace of the profiler, if one is wanted.

        Raises:
            RuntimeError: If no input was added.
            ValueError: If a number is too small.
        """
        config = _Config(num_calling_threads, num_warmup_iters, num_iters)
        profile = torch.profiler.profile() if profiler_output_path else contextlib.nullcontext()
        with profile as running:
            latency = self._benchmark.benchmark(config)
        if running is not None:
            running.export_chrome_trace(profiler_output_path)
        return ExecutionStats(latency, num_iters, num_calling_threads)
