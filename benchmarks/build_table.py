"""A row of build_bench.py: its timings, its limits, and how it is printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

# How many seconds longer than plain Ninja the front end may take.
OVER_NINJA = 0.3


@dataclass(frozen=True)
class Columns:
    """Names of sides: the one with budgets, plain Ninja, and the packaging peers."""

    ours: str
    plain: str = ""
    packaging: Sequence[str] = ()


@dataclass(frozen=True)
class Wait:
    """One timing of what a developer waits for."""

    seconds: float
    compiling: float = 0.0
    """The part from the start of the first compiler or linker to the end of the last."""


@dataclass
class Row:
    """One task, timed repeatedly on each side."""

    name: str
    budget: float
    times_faster: float = 0.0
    """How many times faster than the last packaging peer, without compiling and linking."""
    note: str = ""
    waits: dict[str, list[Wait]] = field(default_factory=dict)
    unrelated: list[str] = field(default_factory=list)
    """Outputs that the front end rebuilt unnecessarily."""

    def add(self, side: str, wait: Wait) -> None:
        self.waits.setdefault(side, []).append(wait)

    def seconds(self, side: str) -> float:
        return median(wait.seconds for wait in self.waits[side])

    def own(self, side: str) -> float:
        """Return the time without compiling and linking, which no front end can save."""
        return median(wait.seconds - wait.compiling for wait in self.waits[side])

    @property
    def compiled(self) -> bool:
        return any(wait.compiling for waits in self.waits.values() for wait in waits)

    def misses(self, columns: Columns) -> list[str]:
        """List the limits that the row misses."""
        found = [f"rebuilt although unrelated to the edit: {name}" for name in self.unrelated]
        if self.seconds(columns.ours) > self.budget:
            found.append(f"over its budget of {self.budget:g} s")
        if columns.plain in self.waits:
            over = self.seconds(columns.ours) - self.seconds(columns.plain)
            if over > OVER_NINJA:
                found.append(f"{over:.2f} s over plain Ninja")
        for name in columns.packaging[-1:]:
            if name in self.waits and self.own(name) < self.times_faster * self.own(columns.ours):
                found.append(f"not {self.times_faster:g} times as fast as {name}")
        return found

    def to_json(self, columns: Columns) -> dict[str, Any]:
        return {
            "name": self.name,
            "note": self.note,
            "budget": self.budget,
            "seconds": {side: self.seconds(side) for side in self.waits},
            "without compiling": {side: self.own(side) for side in self.waits},
            "waits": {side: [vars(wait) for wait in waits] for side, waits in self.waits.items()},
            "misses": self.misses(columns),
        }


class Table:
    """Prints each row when it is complete, with the time without compilation in brackets."""

    def __init__(self, columns: Columns) -> None:
        self.rows: list[Row] = []
        self.lines: list[str] = []
        self.columns = columns
        heads = ["what", "budget", columns.ours]
        if columns.plain:
            heads += [columns.plain, "over it"]
        for name in columns.packaging:
            heads += [name, "in ours"]
        self._width = len(heads)
        self._print(heads)
        self._print(["---", *["---:"] * (self._width - 1)])

    def keep(self, row: Row) -> None:
        self.rows.append(row)
        rounds = len(row.waits[self.columns.ours])
        notes = ", ".join(filter(None, [row.note, f"median of {rounds}" if rounds > 1 else ""]))
        name = f"{row.name} ({notes})" if notes else row.name
        self._print([name, f"{row.budget:g} s", *self._figures(row)])
        for miss in row.misses(self.columns)[:10]:
            print(f"    {miss}", flush=True)

    def keep_other(self, name: str, budget: str, figure: str) -> None:
        """Print a row with a figure other than time."""
        self._print([name, budget, figure, *[""] * (self._width - 3)])

    def _print(self, cells: Sequence[str]) -> None:
        self.lines.append(f"| {' | '.join(cells)} |")
        print(self.lines[-1], flush=True)

    def _figures(self, row: Row) -> list[str]:
        ours, plain = self.columns.ours, self.columns.plain
        figures = [_figure(row, "{:.2f} s", row.seconds(ours), row.own(ours))]
        for name in filter(None, (plain, *self.columns.packaging)):
            if name not in row.waits:
                figures += ["", ""]
                continue
            seconds, own = row.seconds(name), row.own(name)
            figures.append(_figure(row, "{:.2f} s", seconds, own))
            if name == plain:
                over = row.seconds(ours) - seconds, row.own(ours) - own
                figures.append(_figure(row, "{:+.2f} s", *over))
            else:
                times = seconds / row.seconds(ours), own / row.own(ours)
                figures.append(_figure(row, "{:.1f}", *times))
        return figures


def _figure(row: Row, form: str, whole: float, rest: float) -> str:
    return f"{form.format(whole)} ({form.format(rest)})" if row.compiled else form.format(whole)
