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

_BEST, _END = "\033[92m\033[1m", "\033[0m\033[0m"
# The colors of times that are more than so many times the shortest one.
_COLORS = (
    (5, "\033[31m\033[1m"),
    (2, "\033[2m\033[91m"),
    (1.1, ""),
    (1, "\033[34m\033[1m"),
)


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
        keys = ordered_unique((m.num_threads, m.env, m.as_row_name) for m in results)
        keys.sort(key=lambda key: (key[0], str(key[1])))  # statements keep their order
        digits = min(max(m.significant_figures, 1) for m in results) if self._trim else 4
        cells = {(m.num_threads, m.env, m.as_row_name, m.description): m for m in results}
        shown = {place: self._cell(m, scale, digits) for place, m in cells.items()}
        longest = {c: max(len(shown[k]) for k in shown if k[3] == c) for c in columns}
        widths = {c: max(len(str(c or "")), longest[c]) for c in columns}
        names = _row_names(keys)
        header = " " * len(names[0]) + "".join(
            f"  |  {str(c or '').center(widths[c])}" for c in columns
        )
        total = len(header)
        title = results[0].label or ""
        lines = ["[" + f" {title} ".center(total - 2, "-") + "]", header]
        for number, (key, name) in enumerate(zip(keys, names, strict=True)):
            if number == 0 or key[0] != keys[number - 1][0]:
                lines.append(f"{key[0]} threads: ".ljust(total, "-"))
            row = (
                self._colored(
                    cells, f"{shown.get((*key, c), ''):>{longest[c]}}", (*key, c), widths[c]
                )
                for c in columns
            )
            lines.append(name + "".join(f"  |  {text}" for text in row))
        lines += ["", f"Times are in {unit_to_english(unit)}s ({unit})."]
        if self._warnings and any(m.has_warnings for m in results):
            lines.append(
                "(! XX%) Measurement has high variance, where XX is the IQR / median * 100."
            )
        return "\n".join([*lines, ""])

    def _cell(self, m: Measurement, scale: float, digits: int) -> str:
        value = m.median / scale
        decimals = int(not self._trim or digits > len(str(int(value))))
        text = f"{trim_sigfig(value, digits) if self._trim else value:.{decimals}f}"
        if self._warnings and m.has_warnings:
            text += f" (! {m.iqr / m.median * 100:.0f}%)"
        return text

    def _colored(self, cells: dict, text: str, place: tuple, width: int) -> str:  # type: ignore[type-arg]
        text = text.center(width)
        if not self._colors or place not in cells:
            return text
        others = [
            m.median
            for key, m in cells.items()
            if (key[:3] == place[:3] if self._rowwise else key[::3] == place[::3])
        ]
        ratio = cells[place].median / min(others)
        color = next((color for limit, color in _COLORS if ratio > limit), _BEST)
        return f"{color}{text}{_END}" if color else text


def _row_names(keys: list[tuple]) -> list[str]:  # type: ignore[type-arg]
    """Return the names of rows, with that of the environment where there are several."""
    envs = [f"({key[1]})" for key in keys] if len({key[1] for key in keys}) > 1 else []
    width = max(map(len, envs), default=2)
    names, before = [], None
    for number, key in enumerate(keys):
        env = envs[number] if envs and envs[number] != before else ""
        before = envs[number] if envs else None
        names.append(f"  {env:<{width}}  {key[2]}")
    longest = max(map(len, names))
    return [name.ljust(longest) for name in names]
