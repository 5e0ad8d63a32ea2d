"""Signals at a random moment of a chosen phase of `develop`."""

from __future__ import annotations

import os
import random
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from .tree import Tree

# A phase starts when the preceding step is reported as done; linking, when a compiler links.
BEGINS = {
    "codegen": "doctor",
    "configure": "codegen",
    "compile": "configure",
    "link": "",
    "stage": "build",
    "register": "audit",
}
PHASES = tuple(BEGINS)


@dataclass
class Timeline:
    """The start of each phase of one run, in seconds since the run's start, and the exit code."""

    began: dict[str, float] = field(default_factory=dict)
    ended: float = 0.0
    code: int = 0
    output: str = ""

    def spans(self) -> dict[str, float]:
        """Return how long each observed phase lasted."""
        moments = [*self.began.values(), self.ended]
        return {name: moments[i + 1] - moments[i] for i, name in enumerate(self.began)}

    @property
    def last(self) -> str:
        """The phase in which the run ended."""
        return [*self.began, "before codegen"][len(self.began) - 1]


class _Watched:
    """A running `develop` and its current phase."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._text = b""
        self._began = time.perf_counter()
        self.process = tree.start()
        assert self.process.stdout is not None
        self._pipe = self.process.stdout
        self.running = True
        self.timeline = Timeline()

    def watch(self, seconds: float) -> None:
        """Read the run's output for at most this time."""
        if select.select([self._pipe], [], [], seconds)[0]:
            data = os.read(self._pipe.fileno(), 1 << 16)
            self.running = bool(data)
            self._text += data
        reported = {line.split(b" ", 1)[0].decode() for line in self._text.split(b"\n")}
        for phase, before in BEGINS.items():
            if phase not in self.timeline.began and self._is_over(before, reported):
                self.timeline.began[phase] = time.perf_counter() - self._began
                if phase == "compile":  # CMake links too, to test the compiler
                    self._tree.linking.unlink(missing_ok=True)

    def _is_over(self, step: str, reported: set[str]) -> bool:
        if step:
            return step in reported
        return "compile" in self.timeline.began and self._tree.linking.exists()

    def finish(self) -> Timeline:
        while self.running:
            self.watch(1.0)
        self.timeline.code = self.process.wait()
        self._pipe.close()
        self.timeline.ended = time.perf_counter() - self._began
        self.timeline.output = self._text.decode("utf-8", "replace")
        return self.timeline


def run_undisturbed(tree: Tree) -> Timeline:
    """Run to the end, to measure the length of the phases."""
    return _Watched(tree).finish()


Send = Callable[[int, int], None]
"""os.kill or os.killpg: sends to a process, or to its whole group."""


def run_with_signal(tree: Tree, send: Send, number: signal.Signals, moment: Moment) -> Timeline:
    """Send the signal at this moment, and wait for the end of the run."""
    run = _Watched(tree)
    while run.running and moment.phase not in run.timeline.began:
        run.watch(0.001)
    due = time.perf_counter() + moment.after
    while run.running and (left := due - time.perf_counter()) > 0:
        run.watch(left)
    if run.process.poll() is None:
        send(run.process.pid, number)
    return run.finish()


@dataclass(frozen=True)
class Moment:
    """A moment, as seconds since a phase began."""

    phase: str
    after: float

    @staticmethod
    def random_moment(phase: str, spans: dict[str, float], rng: random.Random) -> Moment:
        return Moment(phase, rng.uniform(0.0, spans.get(phase, 0.0)))
