"""One line per step with its time, and all that is known of a run in build/report.json."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..terminal.lines import step_line
from ..terminal.progress import HitRate, Progress, make_progress
from ..terminal.stream import Display, display_of
from ..terminal.tally import Forecast
from ..terminal.waiting import Waiting
from ..tree.atomic import write_atomically
from .clock import on_clock

NAME = "report.json"


@dataclass
class Step:
    """A step while it runs: `note` is what its line will say."""

    name: str
    start: float = 0.0
    """Seconds since the front end began."""
    seconds: float = 0.0
    note: str = ""
    waiting: Waiting | None = None

    def tell(self, doing: str) -> None:
        """What it does just now, for a person who waits."""
        if self.waiting:
            self.waiting.doing = doing


@dataclass
class Report:
    """Collects steps and facts; `quiet` prints nothing but failures."""

    verbose: bool = False
    quiet: bool = False
    steps: list[Step] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    display: Display = field(default_factory=lambda: display_of(sys.stdout, os.environ))
    started: float = field(default_factory=time.perf_counter)
    _waiting: Waiting | None = None

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Times a step and prints its line when it ends well."""
        start = time.perf_counter()
        if self.display.live and not self.quiet and not self.verbose:
            self._waiting = Waiting(name, self.display)
        step = Step(name, start - self.started, waiting=self._waiting)
        try:
            yield step
        finally:
            self._stop_waiting()
            step.seconds = time.perf_counter() - start
            self.steps.append(step)
        self.row(name, step.seconds, step.note)

    def row(self, name: str, seconds: float | None, note: str = "") -> None:
        """A line in the columns of the steps."""
        self.say(step_line(name, seconds, note, self.display))

    def progress(self, forecast: Forecast, hit_rate: HitRate = lambda: None) -> Progress:
        """To follow what Ninja does, as loud as this report."""
        self._stop_waiting()
        return make_progress(
            self.display, forecast, hit_rate, verbose=self.verbose, quiet=self.quiet
        )

    def say(self, text: str) -> None:
        self._stop_waiting()
        if not self.quiet:
            print(text, flush=True)

    def detail(self, text: str) -> None:
        if self.verbose:
            print(text, file=sys.stderr, flush=True)

    def _stop_waiting(self) -> None:
        """Only one thing at a time may be painted at the bottom of a terminal."""
        if self._waiting:
            self._waiting.close()
            self._waiting = None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def document(self) -> dict[str, Any]:
        """Everything, as plain values."""
        seconds = self.seconds
        return {
            "began": time.time() - seconds,
            "seconds": round(seconds, 3),
            "steps": [
                {
                    "name": step.name,
                    **on_clock(step.start, step.start + step.seconds),
                    "note": step.note,
                }
                for step in self.steps
            ],
            **self.facts,
        }


def read_document(build_dir: Path) -> dict[str, Any]:
    """What the last run left, or {}."""
    try:
        document = json.loads((build_dir / NAME).read_bytes())
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def write_document(document: dict[str, Any], build_dir: Path) -> None:
    """Replaces build/report.json."""
    text = json.dumps(document, indent=1)
    write_atomically(build_dir / NAME, text.encode())
