"""Why Ninja runs what it runs: its own explanations, followed back to what changed first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..process import run

if TYPE_CHECKING:
    from .build_graph import BuildGraph

_PREFIX = "ninja explain: "
_REMOVED = re.compile(r"output (.+) of phony edge with no inputs doesn't exist")
_DIRTY = re.compile(r"(.+) is dirty")
_STEP = re.compile(r"\[\d+/\d+\] (.*)")
_NOT_THERE = "it was not there"
_INCLUDES_UNKNOWN = "what it includes is not known"
COMMAND_CHANGED = "its command line changed"


@dataclass(frozen=True)
class Reason:
    """Why one output is out of date by itself, not because something it is made of is."""

    text: str
    input: str = ""
    """The newest input that changed since, as Ninja spells it; empty when it is not an input."""
    removed: bool = False
    """Whether that input is no longer there."""

    @property
    def of_command(self) -> bool:
        """Whether it is how the output is made that changed."""
        return self.text == COMMAND_CHANGED


# What Ninja says (`output` and `input` are groups) and what it means to a reader.
_PHRASES = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"(?:restat of )?output (?P<output>.+) older than most recent input (?P<input>.+) \(", ""),
        (r"recorded mtime of (?P<output>.+) older than most recent input (?P<input>.+) \(", ""),
        (r"output (?P<output>.+) doesn't exist", _NOT_THERE),
        (r"command line changed for (?P<output>.+)", COMMAND_CHANGED),
        (r"command line not found in log for (?P<output>.+)", "Ninja's log does not know it"),
        (r"deps for '?(?P<output>[^']+)'? are missing", _INCLUDES_UNKNOWN),
        (
            r"stored deps info out of date for '?(?P<output>[^']+)'?",
            "it was made by something else",
        ),
    )
)


def parse_reasons(lines: Iterable[str]) -> dict[str, Reason]:
    """Output -> reason, of `ninja -d explain`; an output's first reason counts.

    An output that lost an input gets no line of its own: Ninja calls the input dirty, then the output.
    """
    reasons: dict[str, Reason] = {}
    removed: set[str] = set()
    lost = ""
    for line in lines:
        if not line.startswith(_PREFIX):
            continue
        said = line.removeprefix(_PREFIX)
        if gone := _REMOVED.fullmatch(said):
            removed.add(gone[1])
        elif dirty := _DIRTY.fullmatch(said):
            if dirty[1] in removed:
                lost = lost or dirty[1]
            elif lost:
                reasons.setdefault(dirty[1], Reason(f"{lost} was removed", lost, removed=True))
                lost = ""
        elif own := _own_reason(said):
            reasons.setdefault(*own)
    return reasons


def _own_reason(said: str) -> tuple[str, Reason] | None:
    for pattern, text in _PHRASES:
        if match := pattern.match(said):
            input = match.groupdict().get("input") or ""
            return match["output"], Reason(text or f"{input} changed", input)
    return None


@dataclass(frozen=True)
class DryRun:
    """What Ninja would do now."""

    reasons: Mapping[str, Reason] = field(default_factory=dict)
    """By output."""
    steps: tuple[str, ...] = ()
    """As Ninja describes them."""


def dry_run(ninja: str, build_dir: Path, targets: Iterable[str]) -> DryRun:
    """Asks Ninja. It must be the Ninja that made the tree: another drops its log.

    The manifest goes by its absolute path, by which no edge makes it: a dry run that begins with
    making the manifest again ends there.
    """
    manifest = build_dir.absolute() / "build.ninja"
    if not manifest.exists():
        return DryRun()
    command = [ninja, "-C", str(build_dir), "-f", str(manifest), "-n", "-d", "explain", *targets]
    environ = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    lines = run(command, environ=environ).output.splitlines()
    reasons = parse_reasons(lines)
    for output, reason in reasons.items():  # Ninja looks for an object's includes before the object
        if reason.text == _INCLUDES_UNKNOWN and not (build_dir / output).exists():
            reasons[output] = Reason(_NOT_THERE)
    return DryRun(reasons, tuple(match[1] for line in lines if (match := _STEP.match(line))))


@dataclass(frozen=True)
class OutOfDate:
    """Every output that Ninja has to make, and the first cause of each."""

    reasons: Mapping[str, Reason]
    graph: BuildGraph

    @cached_property
    def paths(self) -> set[str]:
        """The outputs with a reason of their own, and all that is made of them."""
        dirty = set(self.reasons)
        pending = list(dirty)
        while pending:
            for edge in self.graph.users.get(pending.pop(), ()):
                fresh = [path for path in edge.outputs if path not in dirty]
                dirty.update(fresh)
                pending += fresh
        return dirty

    @property
    def commands(self) -> list[str]:
        """The first output of every command that has to run, in the graph's order."""
        makers = (edge for edge in self.graph.edges if edge.rule != "phony")
        return [edge.outputs[0] for edge in makers if not self.paths.isdisjoint(edge.outputs)]

    def why(self, output: str) -> list[str]:
        """The chain from this output to one that has a reason of its own; empty when up to date."""
        if output not in self.paths:
            return []
        chain = [output]
        while chain[-1] not in self.reasons:
            dirty = [path for path in self.graph.makers[chain[-1]].inputs if path in self.paths]
            own = (path for path in dirty if path in self.reasons)
            chain.append(next(own, dirty[0]))
        return chain

    def cause(self, output: str) -> Reason | None:
        """The reason at the end of that chain."""
        chain = self.why(output)
        return self.reasons[chain[-1]] if chain else None
