"""What a code generation stage is given, and what running it gave."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..table.config import Config
from .file_manager import FileManager


@dataclass(frozen=True)
class StageContext:
    """A stage reads `root` and writes through `files`; it touches nothing else."""

    config: Config
    root: Path
    files: FileManager
    options: Mapping[str, str]
    """The options that the stage's row lists, as text."""
    facts: Mapping[str, str]
    shared: dict[str, Any]
    """Kept from stage to stage in one run, so that inputs are parsed once."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Numbers of the stage's row: how much the generator puts into one file."""
    everything: bool = False
    """Also write the files that are only for people to read."""

    def role(self, role: str) -> str:
        """Text of the option with a role, when the stage's row lists it; else empty."""
        option = self.config.option_for(role)
        return self.options.get(option.name, "") if option else ""


@dataclass(frozen=True)
class StageResult:
    """What one stage did."""

    name: str
    reason: str
    """Why it ran; empty when it was up to date."""
    seconds: float
    outputs: int
    changed: int
    deleted: int
    started: float = 0.0
    """By time.perf_counter."""


def in_words(results: Iterable[StageResult]) -> Iterator[str]:
    """For each reason the stages that ran because of it, and how many files they wrote."""
    by_reason: defaultdict[str, list[StageResult]] = defaultdict(list)
    for result in results:
        if result.reason:
            by_reason[result.reason].append(result)
    for reason, ran in by_reason.items():
        written = sum(result.changed for result in ran)
        yield f"{', '.join(result.name for result in ran)}: {reason}, {written} written"
