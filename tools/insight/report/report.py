"""Print one line with its time per step, and keep everything about a run in build/report.json."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.base.console import Display, display_of
from tools.base.store import ReadableRecord, Record
from tools.setup_helpers.env.options import Options
from tools.setup_helpers.env.record import OptionChange, changes_from, last_configured, values_of

from ..terminal.lines import step_line
from ..terminal.progress import make_progress
from ..terminal.tally import Forecast
from ..terminal.waiting import Waiting

if TYPE_CHECKING:
    from tools.setup_helpers.ninja.run import HitRate, Progress

REPORT: Record[dict[str, Any]] = ReadableRecord("report.json")


@dataclass
class Step:
    """A running step; `note` becomes the text of its line."""

    name: str
    start: float = 0.0
    """Seconds since the front end started."""
    seconds: float = 0.0
    note: str = ""
    waiting: Waiting | None = None

    def show_activity(self, doing: str) -> None:
        """Show on the terminal what the step is doing right now."""
        if self.waiting:
            self.waiting.doing = doing


@dataclass
class Report:
    """Collects steps and facts; with `quiet`, only failures are printed."""

    verbose: bool = False
    quiet: bool = False
    steps: list[Step] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    display: Display = field(default_factory=lambda: display_of(sys.stdout, os.environ))
    started: float = field(default_factory=time.perf_counter)
    _waiting: Waiting | None = None

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Time a step and print its line when it succeeds."""
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
        """Print a line in the columns of the steps."""
        self.say(step_line(name, seconds, note, self.display))

    def progress(self, forecast: Forecast, hit_rate: HitRate = lambda: None) -> Progress:
        """Create a progress display for Ninja, as verbose as this report."""
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
        """Close the spinner; only one thing at a time may be drawn at the bottom of a terminal."""
        if self._waiting:
            self._waiting.close()
            self._waiting = None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    @cached_property
    def began(self) -> float:
        """When the front end started, in seconds since 1970; the same in all records of the run."""
        return time.time() - self.seconds

    def document(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "began": self.began,
            "seconds": round(self.seconds, 3),
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
    """Return the document of the last run, or {}."""
    document = REPORT.read(build_dir)
    return document if isinstance(document, dict) else {}


def write_document(document: dict[str, Any], build_dir: Path) -> None:
    """Replace build/report.json."""
    REPORT.write(build_dir, document)


def on_clock(start: float, end: float) -> dict[str, float]:
    """Round start and end rather than the length, so that intervals do not overlap after rounding."""
    begin = round(start, 3)
    return {"start": begin, "seconds": round(round(end, 3) - begin, 3)}


def changed_options(options: Options, build_dir: Path) -> list[OptionChange]:
    """Return the changes in the table's order; none for a directory that was never built.

    They are the changes since the last run; for CMake's options, since the last configuration.
    """
    known = values_of(read_document(build_dir).get("options")) | last_configured(options, build_dir)
    return changes_from(known, options)
