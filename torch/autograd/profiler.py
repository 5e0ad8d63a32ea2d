"""Record the operators that a block calls, with their times and the shapes of their arguments."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from torch import _C
from torch.autograd.profiler_util import EventList, FunctionEvent

__all__ = ["EventList", "FunctionEvent", "emit_itt", "emit_nvtx", "profile", "record_function"]

_running: profile | None = None


class profile(contextlib.ContextDecorator):
    """Context manager that records each operator that its block calls, in all threads it uses.

    Args:
        enabled: Whether to record at all.
        record_shapes: Whether to record the shapes of the arguments.
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
        self, enabled: bool = True, *, record_shapes: bool = False, **options: Any
    ) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes
        self._blocks: list[tuple[str, int, int, int]] = []
        self._events: EventList | None = None

    def __enter__(self) -> profile:
        global _running
        if not self.enabled:
            return self
        _C._start_profiling_operators(self.record_shapes)
        self._blocks, self._events = [], None
        self._start = time.monotonic_ns()
        self._threads: dict[int, int] = {}
        _running = self
        return self

    def __exit__(self, *error: Any) -> bool:
        global _running
        if self.enabled:
            _running = None
            self._events = self._collect(_C._stop_profiling_operators())
        return False

    def _collect(self, calls: list[tuple[str, int, int, int, list[list[int]]]]) -> EventList:
        rows = [
            (begin, -end, name, thread, shapes, False) for name, begin, end, thread, shapes in calls
        ]
        numbers = {call[3] for call in calls}
        main = min(numbers, default=1)
        rows += [(begin, -end, name, main + i, [], True) for name, begin, end, i in self._blocks]
        found = EventList(
            FunctionEvent(
                number,
                name,
                thread,
                (begin - self._start) / 1e3,
                (-end - self._start) / 1e3,
                shapes,
                is_block,
            )
            for number, (begin, end, name, thread, shapes, is_block) in enumerate(sorted(rows), 1)
        )
        found.link()
        return found

    def _add_block(self, name: str, begin: int) -> None:
        index = self._threads.setdefault(threading.get_ident(), len(self._threads))
        self._blocks.append((name, begin, time.monotonic_ns(), index))

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
        """Return the averages of the events by name."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self) -> Any:
        """Return one average of all events."""
        return self.function_events.total_average()

    def table(self, sort_by: str | None = None, row_limit: int = 100, **options: Any) -> str:
        """Return the events as a table; see `EventList.table`."""
        return self.function_events.table(sort_by, row_limit, **options)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events as a trace for chrome://tracing and Perfetto."""
        self.function_events.export_chrome_trace(path)

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
        self._begin = time.monotonic_ns()
        return self

    def __exit__(self, *error: Any) -> None:
        if _running is not None:
            _running._add_block(self.name, self._begin)

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
