"""One line per step with its time, and the same in build/report.json."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..atomic import write_atomically

NAME = "report.json"


@dataclass
class Step:
    """A step while it runs: `note` is what its line will say."""

    name: str
    seconds: float = 0.0
    note: str = ""


@dataclass
class Report:
    """Collects steps and facts; `quiet` prints nothing but failures."""

    verbose: bool = False
    quiet: bool = False
    steps: list[Step] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    started: float = field(default_factory=time.perf_counter)

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Times a step and prints its line when it ends well."""
        step = Step(name)
        start = time.perf_counter()
        try:
            yield step
        finally:
            step.seconds = time.perf_counter() - start
            self.steps.append(step)
        self.say(f"{name:<10} {step.seconds:7.2f} s  {step.note}".rstrip())

    def say(self, text: str) -> None:
        if not self.quiet:
            print(text, flush=True)

    def detail(self, text: str) -> None:
        if self.verbose:
            print(text, file=sys.stderr, flush=True)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def write(self, build_dir: Path) -> None:
        """build/report.json."""
        document = {
            "seconds": round(self.seconds, 3),
            "steps": [
                {"name": s.name, "seconds": round(s.seconds, 3), "note": s.note} for s in self.steps
            ],
            **self.facts,
        }
        write_atomically(build_dir / NAME, json.dumps(document, indent=1).encode())
