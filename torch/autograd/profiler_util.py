"""The events of a profile: FunctionEvent, averages by name, tables and Chrome traces."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]

_COLUMNS = (
    ("Self CPU %", "self_cpu_percent"),
    ("Self CPU", "self_cpu_time_total_str"),
    ("CPU total %", "total_cpu_percent"),
    ("CPU total", "cpu_time_total_str"),
    ("CPU time avg", "cpu_time_str"),
    ("# of Calls", "count"),
)


def _format_time(microseconds: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


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
    cpu_memory_usage = self_cpu_memory_usage = device_memory_usage = self_device_memory_usage = 0
    use_device = None
    flops = 0

    @property
    def cpu_time(self) -> float:
        """The mean time of a call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """The mean time of a call, as text."""
        return _format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """The time of all calls, as text."""
        return _format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """The time outside the calls that these calls made, as text."""
        return _format_time(self.self_cpu_time_total)


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
    ) -> None:
        self.id = id
        self.name = self.key = self.trace_name = name
        self.thread = thread
        self.time_range = Interval(start_us, end_us)
        self.input_shapes = input_shapes or []
        self.is_user_annotation = is_user_annotation
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.stack: list[str] = []

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

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes}>"
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
        self.input_shapes: list[list[int]] = []
        self.stack: list[str] = []
        self.is_user_annotation = False

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Add an event, or other averages, and return this object."""
        if self.key is None:
            self.key, self.input_shapes = other.key, other.input_shapes
            self.is_user_annotation = other.is_user_annotation
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
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
            group_by_stack_n: Accepted for compatibility.
            group_by_overload_name: Accepted for compatibility.
        """
        found: dict[Any, FunctionEventAvg] = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shapes else ""
            found.setdefault((event.key, shapes), FunctionEventAvg()).add(event)
        averages = EventList(found.values(), total=self.self_cpu_time_total)
        for average in averages if not group_by_input_shapes else ():
            average.input_shapes = []
        return averages

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
            sort_by: An attribute such as "cpu_time_total", "self_cpu_time_total", "cpu_time" or
                "count"; the largest come first.
            row_limit: The number of rows; -1 for all.
            max_src_column_width: Accepted for compatibility.
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
        cells = [self._cells(row, total) for row in (rows if row_limit < 0 else rows[:row_limit])]
        shapes = any(row.input_shapes for row in rows)
        heads = ["Name", *(title for title, _ in _COLUMNS), *(["Input Shapes"] if shapes else [])]
        limits = [max_name_column_width, *[12] * len(_COLUMNS), max_shapes_column_width]
        texts = [heads, *(row[: len(heads)] for row in cells)]
        return _draw(texts, limits, header, f"Self CPU time total: {_format_time(total)}")

    def _cells(self, row: Any, total: float) -> list[str]:
        percent = {
            "self_cpu_percent": row.self_cpu_time_total,
            "total_cpu_percent": row.cpu_time_total,
        }
        values = [
            f"{100 * percent[name] / total if total else 0:.2f}%"
            if name in percent
            else str(getattr(row, name))
            for _, name in _COLUMNS
        ]
        return [str(row.key), *values, str(row.input_shapes)]

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events as a trace for chrome://tracing and Perfetto."""
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
        ]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": events}, file)

    def __str__(self) -> str:
        return self.table()


def _draw(texts: list[list[str]], limits: list[int], header: str | None, footer: str) -> str:
    def cut(text: str, width: int) -> str:
        return text if len(text) <= width else f"{text[: width - 3]}..."

    rows = [[cut(t, w) for t, w in zip(row, limits, strict=False)] for row in texts]
    widths = [max(12, *map(len, column)) for column in zip(*rows, strict=True)]
    rule = "  ".join("-" * width for width in widths)
    lines = [rule, _line(rows[0], widths), rule, *(_line(row, widths) for row in rows[1:]), rule]
    title = ["=" * len(rule), header] if header is not None else []
    return "\n".join([*title, *lines, footer, ""])


def _line(row: list[str], widths: list[int]) -> str:
    return "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
