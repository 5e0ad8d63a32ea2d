"""Compare: a table of measurements, one row for each task."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from torch.utils.benchmark._common import (
    Measurement,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)

_BEST, _GOOD, _BAD, _END = "\033[92m\033[1m", "\033[34m\033[1m", "\033[2m\033[91m", "\033[0m"


class Colorize(enum.Enum):
    """Which measurements share a scale of colors."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """A table of measurements: a row for each sub-label, a column for each description.

    Args:
        results: The measurements.

    Example:
        >>> from torch.utils.benchmark import Compare, Measurement, TaskSpec
        >>> tasks = [TaskSpec("f", "", label="sums", sub_label="f", description=d) for d in "ab"]
        >>> table = Compare([Measurement(1, [i + 1.0], t) for i, t in enumerate(tasks)])
        >>> str(table).splitlines()[3].split()
        ['f', '|', '1.0', '|', '2.0']
    """

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trim = self._colors = self._warnings = False

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements.

        Args:
            results: The measurements.

        Raises:
            ValueError: If one is not a Measurement.
        """
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(
                    f"Expected an instance of `Measurement`, got {type(each)} instead."
                )
            self._results.append(each)

    def trim_significant_figures(self) -> None:
        """Show only the digits that the measurements support."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Color the fastest and the slowest times.

        Args:
            rowwise: Whether to compare within each row rather than each column.
        """
        self._colors = True
        self._rowwise = rowwise

    def highlight_warnings(self) -> None:
        """Mark measurements whose times vary too much."""
        self._warnings = True

    def print(self) -> None:
        """Print the table."""
        print(str(self))

    def __str__(self) -> str:
        """Return a table for each label."""
        merged = Measurement.merge(self._results)
        labels = ordered_unique(each.label for each in merged)
        tables = [self._table([m for m in merged if m.label == label]) for label in labels]
        return "\n".join(tables)

    def _table(self, results: list[Measurement]) -> str:
        unit, scale = select_unit(min(m.median for m in results))
        columns = ordered_unique(m.description for m in results)
        keys = ordered_unique((m.num_threads, m.task_spec.env, m.as_row_name) for m in results)
        keys.sort(key=lambda key: key[0])
        digits = min(max(m.significant_figures, 1) for m in results) if self._trim else 4
        cells = {(m.num_threads, m.task_spec.env, m.as_row_name, m.description): m for m in results}
        envs = ordered_unique(key[1] for key in keys)
        names = {
            key: "      " + (f"({key[1]}) " if len(envs) > 1 and key[1] else "") + str(key[2])
            for key in keys
        }
        name_width = max(len(name) for name in names.values())
        shown = {place: self._cell(m, scale, digits) for place, m in cells.items()}
        widths = [
            max([len(str(c or "")), *(len(shown[k]) for k in shown if k[3] == c)]) + 4
            for c in columns
        ]
        header = [str(c or "").center(w) for c, w in zip(columns, widths, strict=True)]
        lines = [" " * name_width + "  |" + "|".join(header).rstrip()]
        threads = None
        total = name_width + 3 + sum(w + 1 for w in widths) - 1
        for key in keys:
            if key[0] != threads:
                threads = key[0]
                lines.append(f"{threads} threads: ".ljust(total, "-"))
            row = [
                self._colored(cells, shown, (*key, c), w)
                for c, w in zip(columns, widths, strict=True)
            ]
            lines.append(f"{names[key].ljust(name_width)}  |" + "|".join(row).rstrip())
        title = f" {results[0].title.partition(':')[0]} "
        lines.insert(0, "[" + title.center(total - 2, "-") + "]")
        footer = f"\nTimes are in {unit_to_english(unit)}s ({unit}).\n"
        if self._warnings and any(m.has_warnings for m in results):
            footer += "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"
        return "\n".join(line.rstrip() if "threads" not in line else line for line in lines) + (
            "\n" + footer
        )

    def _cell(self, m: Measurement, scale: float, digits: int) -> str:
        value = m.median / scale
        decimals = int(not self._trim or digits > len(str(int(value))))
        text = f"{trim_sigfig(value, digits):.{decimals}f}"
        if self._warnings and m.has_warnings:
            text += f" (! {m.iqr / m.median * 100:.0f}%)"
        return text

    def _colored(self, cells: dict, shown: dict, place: tuple, width: int) -> str:  # type: ignore[type-arg]
        if place not in cells:
            return " " * width
        text = shown[place].center(width)
        if not self._colors:
            return text
        others = [
            m.median
            for key, m in cells.items()
            if (key[:3] == place[:3] if self._rowwise else key[3] == place[3])
        ]
        ratio = cells[place].median / min(others)
        color = _BEST if ratio <= 1 else _GOOD if ratio < 1.1 else _BAD if ratio > 2 else ""
        return f"{color}{text}{_END}" if color else text
