"""Helpers of torch.autograd.profiler: steps of a program, records by time, and keys that occur once."""

from __future__ import annotations

import bisect
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar


class EnforceUnique:
    """Raises an error for a key that it sees a second time.

    Example:
        >>> from torch.autograd.profiler import EnforceUnique
        >>> seen = EnforceUnique()
        >>> seen.see("a")
        >>> seen.see("a")
        Traceback (most recent call last):
            ...
        RuntimeError: duplicate key: ('a',)
    """

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def see(self, *key: Any) -> None:
        """Remember a key.

        Raises:
            RuntimeError: If it is known.
        """
        if key in self.seen:
            raise RuntimeError("duplicate key: " + str(key))
        self.seen.add(key)


class KinetoStepTracker:
    """Counts the steps of a program that several parts of it announce.

    Each requester counts its own steps; the program's step is the largest of these counts.

    Example:
        >>> from torch.autograd.profiler import KinetoStepTracker
        >>> KinetoStepTracker.init_step_count("optimizer")
        >>> before = KinetoStepTracker.current_step()
        >>> KinetoStepTracker.increment_step("optimizer") - before
        1
        >>> KinetoStepTracker.erase_step_count("optimizer")
        True
    """

    _current_step = 0
    _step_dict: ClassVar[dict[str, int]] = {}

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Let a requester begin at the program's step."""
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Forget a requester; return whether it was known."""
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Count a step of a requester, and return the program's step."""
        if requester not in cls._step_dict:
            cls.init_step_count(requester)
        cls._step_dict[requester] += 1
        step = max(cls._step_dict.values())
        if step > cls._current_step + 1:
            warnings.warn(
                "Profiler step count has increased more than 1 - "
                f"current_step = {cls._current_step} step dict =  {cls._step_dict}",
                stacklevel=2,
            )
        cls._current_step = max(step, cls._current_step)
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """Return the program's step."""
        return cls._current_step


class MemRecordsAcc:
    """Finds records of memory by their time.

    Args:
        mem_records: Tuples whose first item has a method `start_ns`, in nanoseconds.

    Example:
        >>> class Record:
        ...     def start_ns(self):
        ...         return 5000
        >>> records = torch.autograd.profiler.MemRecordsAcc([(Record(), "allocated")])
        >>> [text for _, text in records.in_interval(4000, 6000)]
        ['allocated']
    """

    def __init__(self, mem_records: Sequence[tuple[Any, ...]]) -> None:
        self._mem_records = sorted(mem_records, key=lambda record: record[0].start_ns())
        self._start_nses = [record[0].start_ns() for record in self._mem_records]

    def in_interval(self, start: float, end: float) -> Iterator[tuple[Any, ...]]:
        """Yield the records from one time to another, in nanoseconds, both included."""
        first = bisect.bisect_left(self._start_nses, start)
        last = bisect.bisect_right(self._start_nses, end)
        yield from self._mem_records[first:last]
