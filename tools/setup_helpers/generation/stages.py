"""The arguments and the result of a code generation stage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.base.file_manager import FileManager

from ..table.config import Config


@dataclass(frozen=True)
class StageContext:
    """A stage's access to the tree: it reads `root`, writes through `files`, and touches nothing else."""

    config: Config
    root: Path
    files: FileManager
    options: Mapping[str, str]
    """The options that the stage's row lists, as text."""
    facts: Mapping[str, str]
    shared: dict[str, Any]
    """Values that stages of one run share, so that inputs are parsed once."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Numbers from the stage's row that limit how much goes into one file."""
    everything: bool = False
    """Whether to write the files that are only for people to read, too."""

    def role(self, role: str) -> str:
        """Return the text of the option with this role; empty unless the stage's row lists it."""
        option = self.config.option_for(role)
        return self.options.get(option.name, "") if option else ""


@dataclass(frozen=True)
class StageResult:
    """The outcome of one stage."""

    name: str
    reason: str
    """Why it ran; empty if it was up to date."""
    seconds: float
    outputs: int
    changed: int
    deleted: int
    started: float = 0.0
    """The start, by time.perf_counter."""


def describe_runs(results: Iterable[StageResult]) -> Iterator[str]:
    """Yield for each reason which stages ran because of it and how many files they wrote."""
    by_reason: defaultdict[str, list[StageResult]] = defaultdict(list)
    for result in results:
        if result.reason:
            by_reason[result.reason].append(result)
    for reason, ran in by_reason.items():
        written = sum(result.changed for result in ran)
        yield f"{', '.join(result.name for result in ran)}: {reason}, {written} written"
