"""The results for each kind of edit, as rows of docs/reliability.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .walk import Verdict

HEAD = (
    "| edit | times | equal to a clean build | rebuilt too little | rebuilt too much |\n"
    "|---|---:|---:|---:|---:|"
)


@dataclass
class Tally:
    """The results for one kind of edit."""

    edit: str
    times: int = 0
    wrong: int = 0
    needless: int = 0

    def row(self) -> str:
        equal = self.times - self.wrong
        return f"| {self.edit} | {self.times} | {equal} | {self.wrong} | {self.needless} |"


def tallies_of(verdicts: Iterable[Verdict]) -> dict[str, Tally]:
    """Count the results by the name of the edit."""
    tallies: dict[str, Tally] = {}
    for verdict in verdicts:
        tally = tallies.setdefault(verdict.edit, Tally(verdict.edit))
        tally.times += 1
        tally.wrong += bool(verdict.wrong)
        tally.needless += bool(verdict.needless)
    return tallies
