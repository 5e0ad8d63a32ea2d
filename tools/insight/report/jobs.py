"""The commands of a run as jobs on lanes of time, and the critical path through them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from tools.base.ninja_log import LogEntry
from tools.base.ninja_manifest import NAME as MANIFEST
from tools.setup_helpers.ninja.build_graph import BuildGraph
from tools.setup_helpers.ninja.run import Round
from tools.setup_helpers.table.config import Config

_RULE = re.compile(r"^\w+?_(COMPILER|[A-Z_]*LINKER)__(.+?)(?:_[A-Za-z]+)?$")


class Kind(Enum):
    """The kind of a command, according to the rule that CMake wrote for it."""

    COMPILE = "compile"
    LINK = "link"
    COMMAND = "other commands"


@dataclass(frozen=True)
class Job:
    """One command; times are seconds since the front end started."""

    output: str
    kind: Kind
    part: str
    """The library or extension of the table that the command belongs to, else the target's name."""
    start: float
    end: float
    lane: int = 0
    """The job slot that the command ran in; jobs in one lane never overlap."""
    failed: bool = False

    @property
    def seconds(self) -> float:
        return self.end - self.start

    @property
    def category(self) -> str:
        return f"compile {self.part}" if self.kind is Kind.COMPILE else self.kind.value


@dataclass(frozen=True)
class Classifier:
    """Maps an output to the kind of command that builds it and its part of the table."""

    rules: Mapping[str, str]
    parts: tuple[str, ...]

    @classmethod
    def of(cls, config: Config, graph: BuildGraph) -> Classifier:
        rules = {output: edge.rule for edge in graph.edges for output in edge.outputs}
        parts = {library.name for library in config.libraries}
        parts |= {extension.target for extension in config.extensions}
        return cls(rules, tuple(sorted(parts, key=len, reverse=True)))

    def __call__(self, output: str) -> tuple[Kind, str]:
        match = _RULE.match(self.rules.get(output, ""))
        if match is None:
            return Kind.COMMAND, ""
        return (Kind.COMPILE if match[1] == "COMPILER" else Kind.LINK), self._part(match[2])

    def _part(self, target: str) -> str:
        """Return the row that owns a target; names of its object libraries begin with its name."""
        owners = (p for p in self.parts if target == p or target.startswith(f"{p}_"))
        return next(owners, target)


def jobs_of(rounds: Iterable[Round], classify: Classifier, began: float) -> list[Job]:
    """Return the jobs of all rounds in the order they started.

    `began` is the value of perf_counter when the front end started.
    """
    jobs = []
    for each in rounds:
        offset = each.started - began
        for entry in _commands(each.entries):
            start, end = offset + entry.start_ms / 1000, offset + entry.end_ms / 1000
            jobs.append(Job(entry.output, *classify(entry.output), start, end))
            if entry.output == MANIFEST:
                offset = end  # Ninja reloads the manifest and restarts its clock
        for failed in each.failed:
            start, end = offset + failed.start_ms / 1000, offset + failed.end_ms / 1000
            jobs.append(Job(failed.output, *classify(failed.output), start, end, failed=True))
    return _in_lanes(sorted(jobs, key=lambda job: (job.start, job.end)))


def _commands(entries: Iterable[LogEntry]) -> list[LogEntry]:
    """Return one entry per command in the order they ended, also for commands with several outputs."""
    commands: dict[tuple[int, int, str], LogEntry] = {}
    for entry in entries:
        commands.setdefault((entry.start_ms, entry.end_ms, entry.command), entry)
    return list(commands.values())


def _in_lanes(jobs: list[Job]) -> list[Job]:
    """Assign each job to the lane that became free last; Ninja does not report which slot it used."""
    free_at: list[float] = []
    placed = []
    for job in jobs:
        open_lanes = [lane for lane, end in enumerate(free_at) if end <= job.start + 1e-6]
        lane = max(open_lanes, key=lambda i: free_at[i], default=len(free_at))
        if lane == len(free_at):
            free_at.append(0.0)
        free_at[lane] = job.end
        placed.append(replace(job, lane=lane))
    return placed


def critical_path(graph: BuildGraph, seconds: Mapping[str, float]) -> list[str]:
    """Return the outputs on the critical path, from first to last.

    `seconds` holds the duration of each command that ran; others count as 0. With any number of
    cores the build takes at least the sum along this path.
    """
    longest: dict[str, tuple[float, str]] = {}
    for output in _inputs_first(graph):
        edge = graph.makers[output]
        before = max(
            (path for path in (*edge.inputs, *edge.order_only) if path in longest),
            key=lambda path: longest[path][0],
            default="",
        )
        start = longest[before][0] if before else 0.0
        longest[output] = (start + seconds.get(output, 0.0), before)
    if not longest:
        return []
    path = [max(longest, key=lambda output: longest[output][0])]
    while before := longest[path[-1]][1]:
        path.append(before)
    return [output for output in reversed(path) if output in seconds]


def _inputs_first(graph: BuildGraph) -> list[str]:
    """Sort outputs so that each follows its inputs; Ninja rejects cycles, so there are none."""
    order: dict[str, None] = {}
    for first in graph.makers:
        pending = [first]
        while pending:
            output = pending[-1]
            edge = graph.makers[output]
            waiting = [
                path
                for path in (*edge.inputs, *edge.order_only)
                if path in graph.makers and path not in order
            ]
            if waiting and output not in order:
                pending += waiting
            else:
                order.setdefault(pending.pop())
    return list(order)
