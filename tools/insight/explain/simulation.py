"""Simulate commands that share resources, such as job slots and a network."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

_MUCH = 0.85
"""A resource that is in use for more than this share of the time limits the whole."""


@dataclass(frozen=True)
class Task:
    """One command: the resources that it needs, one after the other, each for some seconds."""

    output: str
    phases: tuple[tuple[str, float], ...]
    after: tuple[str, ...]
    """Outputs that must exist before it starts."""

    @property
    def seconds(self) -> float:
        return sum(seconds for _, seconds in self.phases)


@dataclass(frozen=True)
class Schedule:
    """The result of a simulation."""

    seconds: float
    busy: Mapping[str, float]
    """Resource -> seconds of use, summed over its units."""
    capacity: Mapping[str, int]

    @property
    def limit(self) -> str:
        """The resource that is used almost all the time; empty if only the longest path limits the time."""
        shares = {name: self.busy[name] / self.capacity[name] for name in self.busy}
        name = max(shares, key=lambda each: shares[each], default="")
        return name if name and shares[name] > _MUCH * self.seconds else ""


class Simulation:
    """Runs tasks on resources with a number of units each; a unit serves one task at a time.

    Time advances from one end of a phase to the next. A task that waits for a resource stands in that
    resource's queue, where the task with the longest remaining path comes first: what Ninja 1.12 and the
    schedulers of distributed builds do. Running the same tasks again gives the same schedule.
    """

    def __init__(self, tasks: Sequence[Task], capacity: Mapping[str, int]) -> None:
        self._tasks = {task.output: task for task in tasks}
        self._capacity = capacity
        self._free = dict(capacity)
        self._busy: defaultdict[str, float] = defaultdict(float)
        self._queues: defaultdict[str, list[tuple[float, int, str, int]]] = defaultdict(list)
        self._ends: list[tuple[float, int, str, int]] = []
        self._numbers = count()
        self._now = 0.0

    def run(self) -> Schedule:
        waiting = {
            task.output: {path for path in task.after if path in self._tasks}
            for task in self._tasks.values()
        }
        for output in [output for output, before in waiting.items() if not before]:
            self._enter(output, 0)
        self._start()
        while self._ends:
            self._now, _, output, phase = heapq.heappop(self._ends)
            if phase >= 0:
                self._free[self._tasks[output].phases[phase][0]] += 1
            if phase + 1 < len(self._tasks[output].phases):
                self._enter(output, phase + 1)
            else:
                for user in self._users.get(output, ()):
                    waiting[user].discard(output)
                    if not waiting[user]:
                        self._enter(user, 0)
            self._start()
        return Schedule(self._now, dict(self._busy), self._capacity)

    def _enter(self, output: str, phase: int) -> None:
        task = self._tasks[output]
        if not task.phases:
            heapq.heappush(self._ends, (self._now, next(self._numbers), output, -1))
            return
        queue = self._queues[task.phases[phase][0]]
        heapq.heappush(queue, (-self._ranks[output], next(self._numbers), output, phase))

    def _start(self) -> None:
        for name, queue in self._queues.items():
            while queue and self._free[name]:
                _, number, output, phase = heapq.heappop(queue)
                seconds = self._tasks[output].phases[phase][1]
                self._free[name] -= 1
                self._busy[name] += seconds
                heapq.heappush(self._ends, (self._now + seconds, number, output, phase))

    @cached_property
    def _users(self) -> Mapping[str, list[str]]:
        users = defaultdict(list)
        for task in self._tasks.values():
            for path in task.after:
                users[path].append(task.output)
        return dict(users)

    @cached_property
    def _ranks(self) -> Mapping[str, float]:
        """Output -> seconds of the longest path that begins with its command."""
        ranks: dict[str, float] = {}
        for first in self._tasks:
            pending = [first]
            while pending:
                users = self._users.get(pending[-1], ())
                if missing := [user for user in users if user not in ranks]:
                    pending += missing
                    continue
                output = pending.pop()
                after = max((ranks[user] for user in users), default=0.0)
                ranks[output] = self._tasks[output].seconds + after
        return ranks
