"""The tables of a profile. This module must not know how events are recorded."""

from __future__ import annotations

from typing import Any

_TIMES = (
    ("Self CPU %", "self_cpu_percent"),
    ("Self CPU", "self_cpu_time_total_str"),
    ("CPU total %", "total_cpu_percent"),
    ("CPU total", "cpu_time_total_str"),
    ("CPU time avg", "cpu_time_str"),
)
_MEMORY = (("CPU Mem", "cpu_memory_str"), ("Self CPU Mem", "self_cpu_memory_str"))
_COUNT = (("# of Calls", "count"),)
_FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


def format_memory(size: int) -> str:
    """Return a number of bytes as text."""
    for unit, power in (("GB", 30), ("MB", 20), ("KB", 10)):
        if abs(size) >= 1 << power:
            return f"{size / (1 << power):.2f} {unit}"
    return f"{size} B"


def format_time(microseconds: float) -> str:
    """Return a time as text."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


def flops_unit(rows: list[Any]) -> tuple[str, int]:
    """Return the unit for the smallest number of operations among events, and its size."""
    smallest = min((row.flops for row in rows if row.flops), default=0)
    power = 0
    while power < len(_FLOPS) - 1 and smallest >= 1000 ** (power + 1):
        power += 1
    return _FLOPS[power], 1000**power


def draw_table(
    rows: list[Any],
    total: float,
    memory: bool,
    limits: tuple[int, int, int],
    header: str | None,
    flops: bool = False,
) -> str:
    """Return events or averages as a table.

    Args:
        rows: The events.
        total: The time that is 100 %.
        memory: Whether to show how much memory the calls allocated.
        limits: The widths of the names, the shapes, and the lines of Python.
        header: A line above the table.
        flops: Whether to show how many floating-point operations the calls took.
    """
    name_width, shapes_width, source_width = limits
    columns = (*_TIMES, *(_MEMORY if memory else ()), *_COUNT)
    shapes = any(row.input_shapes for row in rows)
    stacks = any(row.stack for row in rows)
    flops = flops and any(row.flops for row in rows)
    unit, unit_size = flops_unit(rows)
    heads = [
        *("Name", *(title for title, _ in columns)),
        *(["Input Shapes"] if shapes else []),
        *([f"Total {unit}"] if flops else []),
    ]
    texts, sources = [heads], ["Source Location"]
    for row in rows:
        cells = [*_cells(row, columns, total), *([str(row.input_shapes)] if shapes else [])]
        if flops:
            cells.append(f"{row.flops / unit_size:.3f}" if row.flops else "--")
        lines = [_end_of(line, source_width) for line in row.stack]
        texts += [cells, *([""] * len(heads) for _ in lines if stacks)]
        sources += [*lines, ""]
    widths = [name_width, *[12] * len(columns), *([shapes_width] if shapes else [])]
    widths += [max(len(text[-1]) for text in texts)] if flops else []
    footer = f"Self CPU time total: {format_time(total)}"
    return _draw(texts, widths, header, footer, sources if stacks else None)


def _cells(row: Any, columns: tuple[tuple[str, str], ...], total: float) -> list[str]:
    percent = {
        "self_cpu_percent": row.self_cpu_time_total,
        "total_cpu_percent": row.cpu_time_total,
    }
    values = [
        f"{100 * percent[name] / total if total else 0:.2f}%"
        if name in percent
        else str(getattr(row, name))
        for _, name in columns
    ]
    return [str(row.key), *values]


def _end_of(text: str, width: int) -> str:
    return text if len(text) <= width else f"...{text[3 - width :]}"


def _draw(
    texts: list[list[str]],
    limits: list[int],
    header: str | None,
    footer: str,
    sources: list[str] | None,
) -> str:
    def cut(text: str, width: int) -> str:
        return text if len(text) <= width else f"{text[: width - 3]}..."

    rows = [[cut(t, w) for t, w in zip(row, limits, strict=False)] for row in texts]
    widths = [max(12, *map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths) for row in rows]
    rules = ["-" * width for width in widths]
    if sources is not None:  # the only column that is aligned on the left
        width = max(12, *map(len, sources))
        lines = [
            f"{line}  {source.ljust(width)}" for line, source in zip(lines, sources, strict=True)
        ]
        rules.append("-" * width)
    rule = "  ".join(rules)
    title = ["=" * len(rule), header] if header is not None else []
    return "\n".join([*title, rule, lines[0], rule, *lines[1:], rule, footer, ""])


def _line(row: list[str], widths: list[int]) -> str:
    return "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
