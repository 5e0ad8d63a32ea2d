"""Find out why Ninja runs commands: its own explanations, traced back to the first cause."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.process import run

if TYPE_CHECKING:
    from .build_graph import BuildGraph

_PREFIX = "ninja explain: "
_REMOVED = re.compile(r"output (.+) of phony edge with no inputs doesn't exist")
_DIRTY = re.compile(r"(.+) is dirty")
_STEP = re.compile(r"\[\d+/\d+\] (.*)")
_NOT_THERE = "it did not exist"
_INCLUDES_UNKNOWN = "its includes are not known"
COMMAND_CHANGED = "its command line changed"


@dataclass(frozen=True)
class Reason:
    """Why an output is out of date itself, not just because one of its inputs is."""

    text: str
    input: str = ""
    """The newest input that changed, as Ninja spells it; empty if the cause is not an input."""
    removed: bool = False
    """Whether that input no longer exists."""

    @property
    def of_command(self) -> bool:
        """Whether the command that builds the output changed."""
        return self.text == COMMAND_CHANGED


# Ninja's messages (`output` and `input` are groups) and their meaning for a reader.
_PHRASES = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"(?:restat of )?output (?P<output>.+) older than most recent input (?P<input>.+) \(", ""),
        (r"recorded mtime of (?P<output>.+) older than most recent input (?P<input>.+) \(", ""),
        (r"output (?P<output>.+) doesn't exist", _NOT_THERE),
        (r"command line changed for (?P<output>.+)", COMMAND_CHANGED),
        (r"command line not found in log for (?P<output>.+)", "it is not in Ninja's log"),
        (r"deps for '?(?P<output>[^']+)'? are missing", _INCLUDES_UNKNOWN),
        (
            r"stored deps info out of date for '?(?P<output>[^']+)'?",
            "it was written by something else",
        ),
    )
)


def parse_reasons(lines: Iterable[str]) -> dict[str, Reason]:
    """Parse `ninja -d explain` into output -> reason; the first reason of an output counts.

    An output that lost an input gets no line of its own: Ninja reports the input dirty, then the output.
    """
    reasons: dict[str, Reason] = {}
    removed: set[str] = set()
    lost = ""
    for line in lines:
        if not line.startswith(_PREFIX):
            continue
        message = line.removeprefix(_PREFIX)
        if gone := _REMOVED.fullmatch(message):
            removed.add(gone[1])
        elif dirty := _DIRTY.fullmatch(message):
            if dirty[1] in removed:
                lost = lost or dirty[1]
            elif lost:
                reasons.setdefault(dirty[1], Reason(f"{lost} was removed", lost, removed=True))
                lost = ""
        elif own := _own_reason(message):
            reasons.setdefault(*own)
    return reasons


def _own_reason(message: str) -> tuple[str, Reason] | None:
    for pattern, text in _PHRASES:
        if match := pattern.match(message):
            input = match.groupdict().get("input") or ""
            return match["output"], Reason(text or f"{input} changed", input)
    return None


@dataclass(frozen=True)
class DryRun:
    """The result of a dry run of Ninja."""

    reasons: Mapping[str, Reason] = field(default_factory=dict)
    """Output -> reason."""
    steps: tuple[str, ...] = ()
    """Ninja's descriptions of the steps."""


def dry_run(ninja: str, build_dir: Path, targets: Iterable[str]) -> DryRun:
    """Ask Ninja what it would do, and why.

    `ninja` must be the Ninja that built the tree, since another version would discard its log. The
    manifest is given by its absolute path, for which there is no edge: a dry run that starts by
    regenerating the manifest would stop there.
    """
    manifest = build_dir.absolute() / "build.ninja"
    if not manifest.exists():
        return DryRun()
    command = [ninja, "-C", str(build_dir), "-f", str(manifest), "-n", "-d", "explain", *targets]
    environ = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    lines = run(command, environ=environ).output.splitlines()
    reasons = parse_reasons(lines)
    for output, reason in reasons.items():  # Ninja checks an object's includes before the object
        if reason.text == _INCLUDES_UNKNOWN and not (build_dir / output).exists():
            reasons[output] = Reason(_NOT_THERE)
    return DryRun(reasons, tuple(match[1] for line in lines if (match := _STEP.match(line))))


@dataclass(frozen=True)
class OutOfDate:
    """All outputs that Ninja has to build, and the first cause of each."""

    reasons: Mapping[str, Reason]
    graph: BuildGraph

    @cached_property
    def paths(self) -> set[str]:
        """The outputs with their own reason, and everything built from them."""
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
        """The first output of each command that has to run, in the graph's order."""
        makers = (edge for edge in self.graph.edges if edge.rule != "phony")
        return [edge.outputs[0] for edge in makers if not self.paths.isdisjoint(edge.outputs)]

    def why(self, output: str) -> list[str]:
        """Return the chain from an output to one with its own reason; empty if it is up to date."""
        if output not in self.paths:
            return []
        chain = [output]
        while chain[-1] not in self.reasons:
            dirty = [path for path in self.graph.makers[chain[-1]].inputs if path in self.paths]
            own = (path for path in dirty if path in self.reasons)
            chain.append(next(own, dirty[0]))
        return chain

    def cause(self, output: str) -> Reason | None:
        """Return the reason at the end of that chain."""
        chain = self.why(output)
        return self.reasons[chain[-1]] if chain else None
