"""How often functions ran, as Callgrind counts them: FunctionCounts and CallgrindStats."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from torch.utils.benchmark._common import TaskSpec

_SHOWN_ROWS = 18


class FunctionCount(NamedTuple):
    """How many instructions a function executed.

    Example:
        >>> torch.utils.benchmark.FunctionCount(3, "f")
        FunctionCount(count=3, function='f')
    """

    count: int
    function: str


@dataclass(repr=False, eq=False, frozen=True)
class FunctionCounts:
    """The counts of several functions, which can be added, subtracted, filtered and renamed.

    Args:
        _data: The counts.
        inclusive: Whether a count includes the functions that the function called.
        truncate_rows: Whether the text leaves out rows in the middle.

    Example:
        >>> from torch.utils.benchmark import FunctionCount, FunctionCounts
        >>> counts = FunctionCounts((FunctionCount(5, "a.c:f"), FunctionCount(2, "b.c:g")), False)
        >>> counts.sum(), counts.filter(lambda name: "g" in name).sum()
        (7, 2)
    """

    _data: tuple[FunctionCount, ...]
    inclusive: bool
    truncate_rows: bool = True
    _linewidth: int | None = None

    def __iter__(self) -> Iterator[FunctionCount]:
        yield from self._data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, item: Any) -> FunctionCount | FunctionCounts:
        data = self._data[item]
        if isinstance(data, FunctionCount):
            return data
        return FunctionCounts(data, self.inclusive, truncate_rows=False)

    def __repr__(self) -> str:
        """Show the functions with the largest counts first, and the sum."""
        width = max((len(str(count)) for count, _ in self._data), default=0)
        rows = [f"  {count:>{width}}  {name}" for count, name in self._data]
        if self.truncate_rows and len(rows) > _SHOWN_ROWS:
            half = _SHOWN_ROWS // 2
            rows = [*rows[:half], "...".rjust(width + 2), *rows[-half:]]
        kind = f"{type(self).__module__}.{type(self).__name__}"
        return "\n".join([f"<{kind} object>", *rows, "", f"Total: {self.sum()}"])

    def __add__(self, other: FunctionCounts) -> FunctionCounts:
        return self._merged(other, lambda count: count)

    def __sub__(self, other: FunctionCounts) -> FunctionCounts:
        return self._merged(other, lambda count: -count)

    def __mul__(self, other: float) -> FunctionCounts:
        return self._from_dict({name: int(count * other) for count, name in self._data})

    def transform(self, map_fn: Callable[[str], str]) -> FunctionCounts:
        """Rename the functions; the counts of those that get the same name are added."""
        counts: dict[str, int] = {}
        for count, name in self._data:
            renamed = map_fn(name)
            counts[renamed] = counts.get(renamed, 0) + count
        return self._from_dict(counts)

    def filter(self, filter_fn: Callable[[str], bool]) -> FunctionCounts:
        """Keep the functions whose names a function accepts."""
        kept = tuple(each for each in self._data if filter_fn(each.function))
        return FunctionCounts(kept, self.inclusive)

    def denoise(self) -> FunctionCounts:
        """Leave out functions of CPython's dictionaries, whose counts vary from run to run."""
        return self.filter(lambda name: "dictobject.c:lookdict_unicode" not in name)

    def sum(self) -> int:
        """Return the sum of the counts."""
        return sum(count for count, _ in self._data)

    def _merged(self, other: FunctionCounts, convert: Callable[[int], int]) -> FunctionCounts:
        if self.inclusive != other.inclusive:
            raise AssertionError("Cannot merge inclusive and exclusive counts.")
        counts = {name: count for count, name in self._data}
        for count, name in other:
            counts[name] = counts.get(name, 0) + convert(count)
        return self._from_dict(counts)

    def _from_dict(self, counts: dict[str, int]) -> FunctionCounts:
        rows = [FunctionCount(count, name) for name, count in counts.items() if count != 0]
        return FunctionCounts(tuple(sorted(rows, reverse=True)), self.inclusive)


@dataclass(repr=False, eq=False, frozen=True)
class CallgrindStats:
    """The instructions that a statement executed, and those of an empty one, as Callgrind saw them.

    Example:
        >>> from torch.utils.benchmark import CallgrindStats, FunctionCount, FunctionCounts, TaskSpec
        >>> none, some = FunctionCounts((), False), FunctionCounts((FunctionCount(9, "f"),), False)
        >>> CallgrindStats(TaskSpec("x + 1", ""), 3, True, none, none, some, some, None).counts()
        9
    """

    task_spec: TaskSpec
    number_per_run: int
    built_with_debug_symbols: bool
    baseline_inclusive_stats: FunctionCounts
    baseline_exclusive_stats: FunctionCounts
    stmt_inclusive_stats: FunctionCounts
    stmt_exclusive_stats: FunctionCounts
    stmt_callgrind_out: str | None

    def __repr__(self) -> str:
        """Show the task and its counts."""
        baseline = self.baseline_exclusive_stats.sum()
        total = self.stmt_exclusive_stats.sum()
        lines = [
            f"<{type(self).__module__}.{type(self).__name__} object>",
            self.task_spec.summarize().rstrip(),
            textwrap.indent(f"Instructions: {total}\nBaseline:     {baseline}", "  "),
            f"  {self.number_per_run} runs per measurement, {self.task_spec.num_threads} thread",
        ]
        return "\n".join(lines)

    def stats(self, inclusive: bool = False) -> FunctionCounts:
        """Return the counts of the functions.

        Args:
            inclusive: Whether a count includes the functions that the function called.
        """
        return self.stmt_inclusive_stats if inclusive else self.stmt_exclusive_stats

    def counts(self, *, denoise: bool = False) -> int:
        """Return the number of instructions of the statement.

        Args:
            denoise: Whether to leave out functions whose counts vary from run to run.
        """
        stats = self.stmt_exclusive_stats
        return stats.denoise().sum() if denoise else stats.sum()

    def delta(self, other: CallgrindStats, inclusive: bool = False) -> FunctionCounts:
        """Return the counts less those of another statement.

        Args:
            other: The other statement's counts.
            inclusive: Whether a count includes the functions that the function called.
        """
        return self.stats(inclusive) - other.stats(inclusive)

    def as_standardized(self) -> CallgrindStats:
        """Return the counts with functions named by their files' last parts, without folders."""

        def strip(stats: FunctionCounts) -> FunctionCounts:
            return stats.transform(_without_folder)

        return CallgrindStats(
            self.task_spec,
            self.number_per_run,
            self.built_with_debug_symbols,
            strip(self.baseline_inclusive_stats),
            strip(self.baseline_exclusive_stats),
            strip(self.stmt_inclusive_stats),
            strip(self.stmt_exclusive_stats),
            None,
        )


def _without_folder(function: str) -> str:
    path, colon, name = function.partition(":")
    return f"{path.rpartition('/')[2]}{colon}{name}"


class CopyIfCallgrind:
    """Marks a global that a run under Callgrind gets as a copy; a Timer uses the value.

    Args:
        value: The value.
        setup: The statement that the copy needs before it is unpickled.

    Example:
        >>> torch.utils.benchmark.CopyIfCallgrind(nn.ReLU()).value
        ReLU()
    """

    def __init__(self, value: Any, *, setup: str | None = None) -> None:
        self.value = value
        self.setup = setup

    @staticmethod
    def unwrap_all(globals: dict[str, Any]) -> dict[str, Any]:
        """Return a dictionary with the values instead of the marks."""
        return {
            name: value.value if isinstance(value, CopyIfCallgrind) else value
            for name, value in globals.items()
        }
