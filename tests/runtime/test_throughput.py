"""torch.utils.ThroughputBenchmark: which calls are made, in which threads, and what is reported."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch.utils.throughput_benchmark import (  # noqa: E402
    ExecutionStats,
    ThroughputBenchmark,
    format_time,
)


def test_every_call_is_made_and_measured() -> None:
    calls: list[tuple[int, float, int]] = []
    lock = threading.Lock()

    def function(value: float, *, by: float = 1) -> None:
        time.sleep(0.002)
        with lock:
            calls.append((threading.get_ident(), value, by))

    bench = ThroughputBenchmark(function)
    bench.add_input(1.0)
    bench.add_input(2.0, by=3)
    stats = bench.benchmark(num_calling_threads=3, num_warmup_iters=2, num_iters=40)
    assert len(calls) == 3 * 2 + 40 and stats.num_iters == 40
    assert {(value, by) for _, value, by in calls} == {(1.0, 1), (2.0, 3)}
    assert len({thread for thread, _, _ in calls} - {threading.get_ident()}) == 3
    assert stats.latency_avg_ms >= 2
    assert stats.total_time_seconds == pytest.approx(40 * stats.latency_avg_ms / 3000)
    assert stats.iters_per_second == pytest.approx(40 / stats.total_time_seconds)
    assert "Total number of iterations: 40" in str(stats)


def test_threads_work_at_the_same_time() -> None:
    bench = ThroughputBenchmark(lambda: time.sleep(0.01))
    bench.add_input()
    stats = bench.benchmark(num_calling_threads=8, num_warmup_iters=1, num_iters=40)
    assert stats.total_time_seconds < 0.3  # 0.4 s if the calls did not overlap


def test_modules_are_called_with_the_settings_of_the_caller() -> None:
    module = torch.nn.Linear(4, 2)
    modes = []
    module.register_forward_hook(lambda *_: modes.append(torch.is_grad_enabled()))
    bench = ThroughputBenchmark(module)
    bench.add_input(torch.ones(3, 4))
    with torch.no_grad():
        bench.benchmark(num_calling_threads=2, num_warmup_iters=1, num_iters=5)
    assert modes == [False] * 7
    torch.testing.assert_close(bench.run_once(torch.ones(4)), module(torch.ones(4)))


def test_an_error_of_the_callable_is_raised() -> None:
    def function(value: int) -> int:
        return 1 // value

    bench = ThroughputBenchmark(function)
    bench.add_input(1)
    bench.add_input(0)
    with pytest.raises(ZeroDivisionError):
        bench.benchmark(num_calling_threads=2)
    with pytest.raises(ZeroDivisionError):
        bench.run_once(0)


def test_mistakes_are_errors() -> None:
    with pytest.raises(TypeError, match="expects a callable, not int"):
        ThroughputBenchmark(3)
    bench = ThroughputBenchmark(abs)
    with pytest.raises(RuntimeError, match="call add_input"):
        bench.benchmark()
    bench.add_input(1)
    with pytest.raises(ValueError, match="num_calling_threads must be at least 1"):
        bench.benchmark(num_calling_threads=0)
    with pytest.raises(ValueError, match="num_iters must be at least 1"):
        bench.benchmark(num_iters=0)


def test_the_profiler_writes_a_trace(tmp_path: Path) -> None:
    bench = ThroughputBenchmark(torch.nn.Linear(4, 2))
    bench.add_input(torch.ones(3, 4))
    trace = tmp_path / "trace.json"
    bench.benchmark(num_iters=5, profiler_output_path=str(trace))
    assert "traceEvents" in json.loads(trace.read_text())


def test_times_are_shown_in_their_unit() -> None:
    times = [format_time(time_us=12), format_time(time_ms=3.5), format_time(time_s=2)]
    assert times == ["12.000us", "3.500ms", "2.000s"]
    with pytest.raises(ValueError, match="one time, not 2"):
        format_time(time_us=1, time_s=1)
    assert "1.500ms" in str(ExecutionStats(1.5, 10, 1))
