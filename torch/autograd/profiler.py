"""Record the operators that a block calls, with their times and the shapes of their arguments."""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable
from typing import Any

from torch import _C
from torch._published import publish_all as _publish_all
from torch.autograd import _profiled_blocks as _blocks
from torch.autograd._profiler_records import EnforceUnique, KinetoStepTracker, MemRecordsAcc
from torch.autograd.profiler_util import EventList, FunctionEvent, stack_lines

__all__ = [
    "EnforceUnique",
    "EventList",
    "FunctionEvent",
    "KinetoStepTracker",
    "MemRecordsAcc",
    "emit_itt",
    "emit_nvtx",
    "profile",
    "record_function",
]

_publish_all(globals(), ("EnforceUnique", "KinetoStepTracker", "MemRecordsAcc"))


class profile(contextlib.ContextDecorator):
    """Context manager that records each operator that its block calls, in all threads it uses.

    Args:
        enabled: Whether to record at all.
        record_shapes: Whether to record the shapes of the arguments.
        profile_memory: Whether to record how much memory of the CPU each call allocates.
        with_stack: Whether to record the lines of Python that made each call.
        with_flops: Whether to count the floating-point operations of matrix products, convolutions
            in two dimensions, `add` and `mul`; shapes are recorded, too.
        **options: Accepted for compatibility.

    Raises:
        RuntimeError: If another profile is running.

    Example:
        >>> x = torch.ones(2, 3, requires_grad=True)
        >>> with torch.autograd.profiler.profile(record_shapes=True) as profile:
        ...     (x * 2).sum().backward()
        >>> [event.input_shapes[:2] for event in profile.function_events if event.name == "aten::mul"][0]
        [[2, 3], []]
        >>> table = profile.key_averages().table(sort_by="self_cpu_time_total")
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        **options: Any,
    ) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes or with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self._events: EventList | None = None

    def __enter__(self) -> profile:
        if not self.enabled:
            return self
        _C._start_profiling_operators(
            self.record_shapes, self.profile_memory, self.with_stack, self.with_flops
        )
        self._events = None
        self._start = time.monotonic_ns()
        _blocks.running = self
        return self

    def __exit__(self, *error: Any) -> bool:
        if self.enabled:
            _blocks.running = None
            self._events = self._collect(*_C._stop_profiling_operators())
        return False

    def _collect(self, calls: list[Any], allocations: list[tuple[int, int, int]]) -> EventList:
        def since_start(time_ns: int) -> float:
            return (time_ns - self._start) / 1e3

        calls.sort(key=lambda call: (call[2], -call[3]))
        found = EventList(
            FunctionEvent(
                number,
                name,
                thread,
                since_start(begin),
                since_start(end),
                shapes,
                is_block,
                overload_name=overload,
                stack=stack_lines(frames or ()),
                flops=flops,
            )
            for number, (
                name, overload, begin, end, thread, shapes, frames, is_block, flops,
            ) in enumerate(calls, 1)
        )  # fmt: skip
        found.link()
        found.count_flops_once()
        found.shows_memory = self.profile_memory
        found.shows_flops = self.with_flops
        found.add_allocations([(since_start(time), *rest) for time, *rest in allocations])
        return found

    @property
    def function_events(self) -> EventList:
        """The events, once the block has ended."""
        if self._events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self._events

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Return the averages of the events; see `EventList.key_averages`."""
        return self.function_events.key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def total_average(self) -> Any:
        """Return one average of all events."""
        return self.function_events.total_average()

    def table(self, sort_by: str | None = None, row_limit: int = 100, **options: Any) -> str:
        """Return the events as a table; see `EventList.table`."""
        return self.function_events.table(sort_by, row_limit, **options)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events as a trace for chrome://tracing and Perfetto."""
        self.function_events.export_chrome_trace(path)

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write the stacks with their times; see `EventList.export_stacks`."""
        self.function_events.export_stacks(path, metric)

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, each counted once, in microseconds."""
        return self.function_events.self_cpu_time_total

    def __str__(self) -> str:
        return (
            str(self._events) if self._events is not None else "<unfinished torch.autograd.profile>"
        )


class record_function(contextlib.ContextDecorator):
    """Context manager and decorator that makes its block an event of a running profile.

    Args:
        name: The name of the event.
        args: Accepted for compatibility.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     with torch.autograd.profiler.record_function("my block"):
        ...         result = torch.ones(2) + 1
        >>> [event.name for event in profile.function_events][0]
        'my block'
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args

    def __enter__(self) -> record_function:
        self._profile = _blocks.running
        if _blocks.running is not None:
            _C._begin_profiled_block(self.name)
        return self

    def __exit__(self, *error: Any) -> None:
        if self._profile is not None and self._profile is _blocks.running:
            _C._end_profiled_block()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose calls are events."""

        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name, self.args):
                return function(*args, **kwargs)

        return recorded


class emit_nvtx:
    """Context manager that would mark operators for NVIDIA's profilers, which this build cannot.

    Args:
        enabled: Whether to mark at all.
        record_shapes: Accepted for compatibility.

    Raises:
        RuntimeError: On entry, if `enabled` is true.

    Example:
        >>> with torch.autograd.profiler.emit_nvtx(enabled=False):
        ...     pass
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled

    def __enter__(self) -> emit_nvtx:
        if self.enabled:
            raise RuntimeError(f"{type(self).__name__} is not available in this build")
        return self

    def __exit__(self, *error: Any) -> None:
        pass


class emit_itt(emit_nvtx):
    """Context manager that would mark operators for Intel's profilers, which this build cannot.

    Example:
        >>> with torch.autograd.profiler.emit_itt(enabled=False):
        ...     pass
    """
