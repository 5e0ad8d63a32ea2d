"""Rounds of provoking a fault, rebuilding, and comparing with a clean build; and their results."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from .kills import Timeline, run_undisturbed
from .tree import VERSIONS, Tree


@dataclass
class Tally:
    """The results of one kind of fault."""

    fault: str
    provoked: int = 0
    recovered: int = 0
    equal: int = 0
    where: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def row(self) -> str:
        """Return the row for the table in docs/reliability.md."""
        places = ", ".join(f"{place} {count}" for place, count in self.where.items() if place)
        return f"| {self.fault} | {places} | {self.provoked} | {self.recovered} | {self.equal} |"


HEAD = "| fault | where | provoked | recovered | bytes equal |\n|---|---|---:|---:|---:|"
Provoke = Callable[["Campaign"], str]
"""Damages the campaign's tree. Returns where, or "" if that is always the same."""


@dataclass
class Campaign:
    """One tree, the packages of its clean builds, and a random number generator."""

    tree: Tree
    rng: random.Random
    round: int = 0

    @cached_property
    def _clean_builds(self) -> list[tuple[Timeline, dict[str, str]]]:
        built = []
        for number in range(len(VERSIONS)):
            self.tree.number = number
            self.tree.fresh()
            self.tree.unregister()
            timeline = run_undisturbed(self.tree)
            assert timeline.code == 0, timeline.output
            built.append((timeline, self.tree.package()))
        return built

    @cached_property
    def spans(self) -> dict[bool, dict[str, float]]:
        """Return the length of each phase, in a build from scratch and in an incremental one."""
        fresh = self._clean_builds[0][0].spans()
        self.built()
        self.tree.edit_all()
        self.tree.unregister()
        return {True: fresh, False: run_undisturbed(self.tree).spans()}

    def built(self) -> None:
        """Ensure that the tree is built, whatever its state."""
        assert self._clean_builds
        if not self.tree.build.exists():
            self.tree.fresh()
        self.tree.run("develop")

    def run_rounds(self, fault: str, provoke: Provoke, rounds: int) -> Tally:
        """Provoke a fault and rebuild. Every second round edits sources in between."""
        tally = Tally(fault)
        for self.round in range(rounds):
            self.built()
            tally.provoked += 1
            try:
                tally.where[provoke(self)] += 1
            except BaseException:
                self.tree.fresh()  # the next fault must find a tree that builds
                raise
            if self.round % 2:
                self.tree.edit_all()
            self._judge(tally)
        return tally

    def _judge(self, tally: Tally) -> None:
        tree = self.tree
        expected = self._clean_builds[tree.number][1]
        result = tree.run("develop", check=False)
        if result.returncode or tree.words() != tree.version.answer:
            tally.failures.append(f"round {self.round}: {result.stdout}{result.stderr}")
            tree.fresh()
            return
        tally.recovered += 1
        found = tree.package()
        if found == expected:
            tally.equal += 1
        else:
            other = sorted({path for path, _ in found.items() ^ expected.items()})
            tally.failures.append(f"round {self.round}: other bytes: {', '.join(other)}")
