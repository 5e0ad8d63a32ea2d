"""The tables of a profile. This module must not know how events are recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")
_UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
_NARROWEST = 12


def format_memory(size: int) -> str:
    """Return a number of bytes as text."""
    for unit, power in (("GB", 30), ("MB", 20), ("KB", 10)):
        if abs(size) >= 1 << power:
            return f"{size / (1 << power):.2f} {unit}"
    return f"{size} B"


def format_time(microseconds: float, unit: str | None = None) -> str:
    """Return a time as text, in seconds, milliseconds or microseconds.

    Args:
        microseconds: The time.
        unit: "s", "ms" or "us"; by default what fits the time.
    """
    if unit not in _UNITS:
        unit = next((u for u in ("s", "ms") if microseconds >= _UNITS[u]), "us")
    return f"{microseconds / _UNITS[unit]:.3f}{unit}"


def format_share(part: float, whole: float) -> str:
    """Return a share of a time in percent."""
    return f"{100 * part / whole if whole else 0:.2f}%"


def flops_unit(rows: Sequence[Any]) -> tuple[str, int]:
    """Return the unit for the smallest number of operations among events, and its size."""
    smallest = min((row.flops for row in rows if row.flops), default=0)
    power = 0
    while power < len(_FLOPS) - 1 and smallest >= 1000 ** (power + 1):
        power += 1
    return _FLOPS[power], 1000**power


@dataclass(frozen=True)
class TableOptions:
    """What a table shows.

    Attributes:
        memory: Whether to show how much memory the calls allocated.
        flops: Whether to show how many floating-point operations the calls took.
        overloads: Whether to show the names of overloads.
        source_width: The width of the lines of Python.
        name_width: The width of the names.
        shapes_width: The width of the shapes.
        header: A line above the table.
        top_level_only: Whether the rows are those of calls that no other call made.
        time_unit: The unit of the times; by default what fits each of them.
    """

    memory: bool = False
    flops: bool = False
    overloads: bool = True
    source_width: int | None = 75
    name_width: int | None = 55
    shapes_width: int | None = 80
    header: str | None = None
    top_level_only: bool = False
    time_unit: str | None = None


@dataclass(frozen=True)
class _Column:
    title: str
    width: int
    cell: Callable[[Any], str]


def draw_table(rows: list[Any], shown: list[Any], total: float, options: TableOptions) -> str:
    """Return events or averages as a table.

    Args:
        rows: The events, which decide about the columns and their widths.
        shown: Those of them to show.
        total: The time that is 100 %.
        options: What to show.
    """
    if not rows:
        return ""
    columns = _columns(rows, total, options)
    sources = any(row.stack for row in rows)
    source_width = _width((line for row in rows for line in row.stack or ()), options.source_width)
    lines = [_line([column.title for column in columns], columns)]
    places = ["Source Location"]
    for row in shown:
        lines.append(_line([column.cell(row) for column in columns], columns))
        if sources:
            stack = list(row.stack or ())
            places += [*(_end_of(line, source_width) for line in stack or [""]), ""]
            lines += [_line([""] * len(columns), columns)] * max(len(stack), 1)
    rules = ["-" * column.width for column in columns]
    if sources:  # the only column that is aligned on the left
        lines = [
            f"{line}{place:<{source_width}}  " for line, place in zip(lines, places, strict=True)
        ]
        rules.append("-" * source_width)
    rule = "".join(f"{dashes}  " for dashes in rules)
    top = "=" * len(rule)
    title = [top, options.header, top] if options.header is not None else []
    if options.top_level_only:
        title.append("This report only display top-level ops statistics")
    footer = f"Self CPU time total: {format_time(total, options.time_unit)}"
    return "\n".join([*title, rule, lines[0], rule, *lines[1:], rule, footer, ""])


def _columns(rows: list[Any], total: float, options: TableOptions) -> list[_Column]:
    columns = [_names("Name", rows, "key", options)]
    if options.overloads and any(row.overload_name for row in rows):
        columns.append(_names("Overload Name", rows, "overload_name", options))
    columns += _times(total, options.time_unit)
    if options.memory:
        columns += [
            _narrow("CPU Mem", lambda row: format_memory(row.cpu_memory_usage)),
            _narrow("Self CPU Mem", lambda row: format_memory(row.self_cpu_memory_usage)),
        ]
    columns.append(_narrow("# of Calls", lambda row: str(row.count)))
    if any(row.node_id != -1 for row in rows):
        columns.append(_narrow("Node ID", lambda row: str(row.node_id)))
    if any(row.input_shapes for row in rows):
        width = _width((str(row.input_shapes) for row in rows), options.shapes_width)
        columns.append(_Column("Input Shapes", width, lambda row: str(row.input_shapes)[:width]))
    if options.flops and any(row.flops for row in rows):
        unit, size = flops_unit(rows)
        columns.append(
            _narrow(f"Total {unit}", lambda row: f"{row.flops / size:.3f}" if row.flops else "--")
        )
    return columns


def _times(total: float, unit: str | None) -> list[_Column]:
    return [
        _narrow("Self CPU %", lambda row: format_share(row.self_cpu_time_total, total)),
        _narrow("Self CPU", lambda row: format_time(row.self_cpu_time_total, unit)),
        _narrow("CPU total %", lambda row: format_share(row.cpu_time_total, total)),
        _narrow("CPU total", lambda row: format_time(row.cpu_time_total, unit)),
        _narrow("CPU time avg", lambda row: format_time(row.cpu_time, unit)),
    ]


def _names(title: str, rows: list[Any], attribute: str, options: TableOptions) -> _Column:
    width = _width((row.key for row in rows), options.name_width)  # also for the overloads
    return _Column(title, width, lambda row: _begin_of(getattr(row, attribute) or "", width))


def _narrow(title: str, cell: Callable[[Any], str]) -> _Column:
    return _Column(title, _NARROWEST, cell)


def _width(texts: Any, limit: int | None) -> int:
    longest = max(map(len, texts), default=0) + 4
    return longest if limit is None else min(longest, limit)


def _begin_of(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _end_of(text: str, width: int) -> str:
    return text if len(text) <= width else f"...{text[3 - width :]}"


def _line(cells: list[str], columns: list[_Column]) -> str:
    return "".join(f"{text:>{column.width}}  " for text, column in zip(cells, columns, strict=True))
