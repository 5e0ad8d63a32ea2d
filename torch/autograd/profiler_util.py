"""The lists of a profile's events: averages by name, tables, stacks and Chrome traces."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from torch.autograd._profiler_events import FunctionEvent, FunctionEventAvg
from torch.autograd._profiler_events import publish as _publish
from torch.autograd._profiler_records import MemRecordsAcc
from torch.autograd._profiler_table import TableOptions as _TableOptions
from torch.autograd._profiler_table import draw_table as _draw_table
from torch.autograd._profiler_table import format_memory as _format_memory  # noqa: F401
from torch.autograd._profiler_table import format_time as _format_time  # noqa: F401
from torch.autograd._profiler_times import DeviceType, FormattedTimesMixin, Interval, Kernel

__all__ = [
    "DeviceType",
    "EventList",
    "FormattedTimesMixin",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "MemRecordsAcc",
]

_publish(globals())

_DEVICES = ("cuda", "xpu", "privateuse1")


class EventList(list):  # type: ignore[type-arg]
    """A list of events or of averages.

    Args:
        events: The events.
        use_device: The device that was profiled besides the CPU.
        profile_memory: Whether tables show how much memory the calls allocated.
        with_flops: Whether tables show how many floating-point operations they took.

    Example:
        >>> with torch.autograd.profiler.profile() as profile:
        ...     result = torch.ones(2) + 1
        >>> len(profile.function_events) >= 2
        True
    """

    def __init__(
        self,
        events: Iterable[Any] = (),
        *,
        use_device: str | None = None,
        profile_memory: bool = False,
        with_flops: bool = False,
    ) -> None:
        super().__init__(events)
        self._use_device = use_device
        self._profile_memory = profile_memory
        self._with_flops = with_flops
        self._shows_overloads = True

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, each counted once."""
        return sum(event.self_cpu_time_total for event in self)

    def total_average(self) -> FunctionEventAvg:
        """Return one average of all events."""
        total = FunctionEventAvg()
        for event in self:
            total.key = None
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
                event.node_id,
                event.device_type,
                event.is_legacy,
                event.is_user_annotation,
                event.overload_name if group_by_overload_name else "",
                str(event.input_shapes) if group_by_input_shapes else "",
                tuple(event.stack or ())[:group_by_stack_n],
            )
            found.setdefault(key, FunctionEventAvg()).add(event)
        for average in found.values():
            average.stack = (average.stack or [])[:group_by_stack_n]
            if not group_by_input_shapes:
                average.input_shapes = ""
            if not group_by_overload_name:
                average.overload_name = ""
        return EventList(
            found.values(),
            use_device=self._use_device,
            profile_memory=self._profile_memory,
            with_flops=self._with_flops,
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
            time_unit: "s", "ms" or "us"; by default what fits each time.
        """
        rows = list(self)
        if sort_by is not None:
            by = sort_by
            for device in _DEVICES:
                by = by.replace(device, "device")
            rows.sort(key=lambda row: getattr(row, by), reverse=True)
        shown = [row for row in rows if row.cpu_parent is None] if top_level_events_only else rows
        options = _TableOptions(
            memory=self._profile_memory,
            flops=self._with_flops,
            overloads=self._shows_overloads,
            source_width=max_src_column_width,
            name_width=max_name_column_width,
            shapes_width=max_shapes_column_width,
            header=header,
            top_level_only=top_level_events_only,
            time_unit=time_unit,
        )
        shown = shown if row_limit < 0 else shown[:row_limit]
        return _draw_table(rows, shown, self.self_cpu_time_total, options)

    def supported_export_stacks_metrics(self) -> list[str]:
        """Return the metrics that `export_stacks` takes."""
        return ["self_cpu_time_total", *(f"self_{device}_time_total" for device in _DEVICES)]

    def export_stacks(
        self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total"
    ) -> None:
        """Write a line for each call: its stack from the outermost frame, then a time.

        Programs that draw flame graphs read the file. The profile needs `with_stack`.

        Args:
            path: The file.
            metric: "self_cpu_time_total", or the same of a device.

        Raises:
            ValueError: For another metric.
        """
        known = self.supported_export_stacks_metrics()
        if metric not in known:
            raise ValueError(f"metric should be one of: {known}")
        for device in _DEVICES:
            metric = metric.replace(device, "device")
        unsafe = str.maketrans(" ;\t\n", "____")
        with open(path, "w", encoding="utf-8") as file:
            for event in self:
                value = int(getattr(event, metric))
                if event.stack and value > 0:
                    frames = ";".join(line.translate(unsafe) for line in reversed(event.stack))
                    file.write(f"{frames} {value}\n")

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events as a list of a trace for chrome://tracing and Perfetto."""
        events = [
            {
                "name": event.trace_name or event.name,
                "ph": "X",
                "ts": event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "tid": f"{event.node_id}[{event.thread}]" if event.is_remote else event.thread,
                "pid": "CPU functions",
                "args": {},
            }
            for event in self
        ]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(events, file)

    def __str__(self) -> str:
        return self.table()
