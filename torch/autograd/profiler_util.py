"""The events of a profile: FunctionEvent, averages by name, tables and Chrome traces."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from torch.autograd._profiler_table import draw_table, format_memory, format_time

__all__ = ["DeviceType", "EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]

_STACK_METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_device_time_total")


class DeviceType(IntEnum):
    """The kind of device that an event ran on.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     result = torch.ones(2)
        >>> profile.function_events[0].device_type == torch.autograd.DeviceType.CPU
        True
    """

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    OPENGL = 3
    OPENCL = 4
    IDEEP = 5
    HIP = 6
    FPGA = 7
    MAIA = 8
    XLA = 9
    Vulkan = 10
    Metal = 11
    XPU = 12
    MPS = 13
    Meta = 14
    HPU = 15
    VE = 16
    Lazy = 17
    IPU = 18
    MTIA = 19
    PrivateUse1 = 20


def stack_lines(frames: Iterable[tuple[Any, int]]) -> list[str]:
    """Return frames, given as code objects with lines, as text: "torch/nn/linear.py(7): forward"."""
    return [f"{_short_path(code.co_filename)}({line}): {code.co_name}" for code, line in frames]


@functools.cache
def _short_path(path: str) -> str:
    """Return a path without the entry of sys.path that it is in."""
    roots = [entry.rstrip(os.sep) + os.sep for entry in sys.path if entry]
    inside = [root for root in roots if path.startswith(root)]
    return path[len(max(inside, key=len)) :] if inside else path


class Interval:
    """A time span in microseconds.

    Example:
        >>> from torch.autograd.profiler_util import Interval
        >>> Interval(2, 5).elapsed_us()
        3
    """

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Return the length."""
        return self.end - self.start


class _Times:
    """The times of an event or an average, in microseconds, also as text."""

    cpu_time_total: float
    self_cpu_time_total: float
    count: int
    # There is no device besides the CPU.
    device_time_total = self_device_time_total = device_time = cuda_time = 0.0
    device_time_total_str = self_device_time_total_str = device_time_str = format_time(0.0)
    device_memory_usage = self_device_memory_usage = 0
    device_type = DeviceType.CPU
    use_device = None
    scope = 0

    flops: int
    cpu_memory_usage: int
    self_cpu_memory_usage: int

    @property
    def cpu_memory_str(self) -> str:
        """The bytes that the calls allocated, less those that they released, as text."""
        return format_memory(self.cpu_memory_usage)

    @property
    def self_cpu_memory_str(self) -> str:
        """The same without the calls that these calls made, as text."""
        return format_memory(self.self_cpu_memory_usage)

    @property
    def cpu_time(self) -> float:
        """The mean time of a call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """The mean time of a call, as text."""
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """The time of all calls, as text."""
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """The time outside the calls that these calls made, as text."""
        return format_time(self.self_cpu_time_total)


class FunctionEvent(_Times):
    """A call of an operator, or a block of `record_function`.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     result = torch.ones(2) + 1
        >>> "aten::add" in {event.name for event in profile.function_events}
        True
    """

    count = 1
    is_async = is_remote = is_legacy = False
    node_id = -1

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        input_shapes: list[list[int]] | None = None,
        is_user_annotation: bool = False,
        *,
        overload_name: str = "",
        stack: list[str] | None = None,
        cpu_memory_usage: int = 0,
        flops: int = 0,
    ) -> None:
        self.id = id
        self.name = self.key = self.trace_name = name
        self.overload_name = overload_name
        self.thread = thread
        self.time_range = Interval(start_us, end_us)
        self.input_shapes = input_shapes or []
        self.is_user_annotation = is_user_annotation
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.stack = stack or []
        self.cpu_memory_usage = cpu_memory_usage
        self.flops = flops
        self.kernels: list[Any] = []
        self.kwinputs: dict[str, Any] = {}
        self.fwd_thread, self.sequence_nr = 0, -1

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Add a call that this one made."""
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Set the call that made this one."""
        self.cpu_parent = parent

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """The time of the call."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """The time outside the calls that this one made."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:  # type: ignore[override]
        """The bytes allocated outside the calls that this one made, less those released there."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )


class FunctionEventAvg(_Times):
    """The events of one name together.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     result = torch.ones(2) + 1
        >>> [row.count for row in profile.key_averages() if row.key == "aten::add"]
        [1]
    """

    is_async = is_remote = is_legacy = False
    node_id = -1

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = 0
        self.self_cpu_memory_usage = 0
        self.flops = 0
        self.overload_name = ""
        self.input_shapes: list[list[int]] = []
        self.stack: list[str] = []
        self.is_user_annotation = False

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Add an event, or other averages, and return this object."""
        if self.key is None:
            self.key, self.input_shapes = other.key, other.input_shapes
            self.is_user_annotation = other.is_user_annotation
            self.overload_name, self.stack = other.overload_name, other.stack
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.flops += other.flops
        self.count += other.count
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} input_shapes={self.input_shapes}>"
        )


class EventList(list):  # type: ignore[type-arg]
    """A list of events or of averages.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     result = torch.ones(2) + 1
        >>> len(profile.function_events) >= 2
        True
    """

    def __init__(self, events: Iterable[Any] = (), **options: Any) -> None:
        super().__init__(events)
        self._total = options.get("total", 0.0)
        self.shows_memory = options.get("profile_memory", False)
        self.shows_flops = options.get("with_flops", False)

    def link(self) -> None:
        """Find out which call made which, from their times."""
        by_thread: dict[int, list[FunctionEvent]] = {}
        for event in sorted(self, key=lambda e: (e.time_range.start, -e.time_range.end)):
            open_calls = by_thread.setdefault(event.thread, [])
            while open_calls and open_calls[-1].time_range.end < event.time_range.end:
                open_calls.pop()
            if open_calls:
                open_calls[-1].append_cpu_child(event)
                event.set_cpu_parent(open_calls[-1])
            open_calls.append(event)

    def count_flops_once(self) -> None:
        """Count no operations in calls that a call made whose operations are counted."""
        for event in self:
            parent = event.cpu_parent
            while parent is not None and not parent.flops:
                parent = parent.cpu_parent
            if parent is not None:
                event.flops = 0

    def add_allocations(self, allocations: Iterable[tuple[float, int, int]]) -> None:
        """Add (time, thread, bytes) of each allocation to the calls around it.

        An allocation outside all calls becomes an event of its own with the name "[memory]".
        """
        by_thread: dict[int, list[FunctionEvent]] = {}
        for event in sorted(self, key=lambda e: (e.time_range.start, -e.time_range.end)):
            by_thread.setdefault(event.thread, []).append(event)
        waiting = {thread: events[::-1] for thread, events in by_thread.items()}
        open_calls: dict[int, list[FunctionEvent]] = {thread: [] for thread in waiting}
        for time, thread, size in sorted(allocations):
            around, coming = open_calls.get(thread, []), waiting.get(thread, [])
            while coming and coming[-1].time_range.start <= time:
                around.append(coming.pop())
            around[:] = [event for event in around if event.time_range.end >= time]
            for event in around:
                event.cpu_memory_usage += size
            if not around:
                self._append_memory_event(time, thread, size)

    def _append_memory_event(self, time: float, thread: int, size: int) -> None:
        number = len(self) + 1
        self.append(FunctionEvent(number, "[memory]", thread, time, time, cpu_memory_usage=size))

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, each counted once."""
        return sum(event.self_cpu_time_total for event in self)

    def total_average(self) -> FunctionEventAvg:
        """Return one average of all events."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = "Total"
        return total

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Return the averages of the events by name.

        Args:
            group_by_input_shapes: Whether calls with other shapes are counted apart.
            group_by_stack_n: How many lines of Python, from the innermost one, calls that are
                counted together have in common; the profile needs `with_stack`.
            group_by_overload_name: Whether the overloads of an operator are counted apart.
        """
        found: dict[Any, FunctionEventAvg] = {}
        for event in self:
            key = (
                event.key,
                event.overload_name if group_by_overload_name else "",
                str(event.input_shapes) if group_by_input_shapes else "",
                tuple(event.stack[:group_by_stack_n]),
            )
            found.setdefault(key, FunctionEventAvg()).add(event)
        for average in found.values():
            average.stack = average.stack[:group_by_stack_n]
            if not group_by_input_shapes:
                average.input_shapes = []
            if not group_by_overload_name:
                average.overload_name = ""
        total = self.self_cpu_time_total
        return EventList(
            found.values(),
            total=total,
            profile_memory=self.shows_memory,
            with_flops=self.shows_flops,
        )

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Return the events as a table.

        Args:
            sort_by: An attribute such as "cpu_time_total", "self_cpu_time_total", "cpu_time",
                "self_cpu_memory_usage", "flops" or "count"; the largest come first.
            row_limit: The number of rows; -1 for all.
            max_src_column_width: The width of the lines of Python.
            max_name_column_width: The width of the names.
            max_shapes_column_width: The width of the shapes.
            header: A line above the table.
            top_level_events_only: Whether to show only events that no other made.
            time_unit: Accepted for compatibility.
        """
        rows = list(self)
        if sort_by is not None:
            by = sort_by.replace("cuda_", "device_")
            rows.sort(key=lambda row: getattr(row, by), reverse=True)
        if top_level_events_only:
            rows = [row for row in rows if getattr(row, "cpu_parent", None) is None]
        total = self._total or self.self_cpu_time_total
        widths = (max_name_column_width, max_shapes_column_width, max_src_column_width)
        shown = rows if row_limit < 0 else rows[:row_limit]
        return draw_table(shown, total, self.shows_memory, widths, header, self.shows_flops)

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write a line for each call: its stack from the outermost frame, then a time.

        Programs that draw flame graphs read the file. The profile needs `with_stack`.

        Args:
            path: The file.
            metric: "self_cpu_time_total"; devices that this build lacks took no time.

        Raises:
            ValueError: For another metric.
        """
        if metric not in _STACK_METRICS:
            raise ValueError(f"metric should be one of: {list(_STACK_METRICS)}")
        unsafe = str.maketrans(" ;\t\n", "____")
        with open(path, "w", encoding="utf-8") as file:
            for event in self:
                value = int(getattr(event, metric, 0))
                if event.stack and value > 0:
                    frames = ";".join(line.translate(unsafe) for line in reversed(event.stack))
                    file.write(f"{frames} {value}\n")

    def export_chrome_trace(
        self, path: str | os.PathLike[str], metadata: dict[str, Any] | None = None
    ) -> None:
        """Write the events, and values by name, as a trace for chrome://tracing and Perfetto."""
        process = os.getpid()
        events = [
            {
                "ph": "X",
                "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
                "name": event.name,
                "pid": process,
                "tid": event.thread,
                "ts": event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "args": {"Input Dims": event.input_shapes} if event.input_shapes else {},
            }
            for event in self
            if event.name != "[memory]"
        ]
        with open(path, "w", encoding="utf-8") as file:
            head = {"schemaVersion": 1, "displayTimeUnit": "ms", **(metadata or {})}
            json.dump({**head, "traceEvents": events}, file)

    def __str__(self) -> str:
        return self.table()
