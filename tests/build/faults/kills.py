"""Signals at a random moment of a chosen phase of `develop`."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import time
from dataclasses import dataclass, field

from .tree import Tree

# A phase begins when the step before it says that it is done; linking, when the compiler is called for it.
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
    """When each phase of one run began, in seconds since its start."""

    began: dict[str, float] = field(default_factory=dict)
    ended: float = 0.0
    code: int = 0
    output: str = ""

    def spans(self) -> dict[str, float]:
        """How long each phase that was seen lasted."""
        moments = [*self.began.values(), self.ended]
        return {name: moments[i + 1] - moments[i] for i, name in enumerate(self.began)}

    @property
    def last(self) -> str:
        """The phase in which the run ended."""
        return list(self.began)[-1] if self.began else "start"


class _Watched:
    """A running `develop`: what phase it is in."""

    def __init__(self, tree: Tree) -> None:
        tree.marks.unlink(missing_ok=True)
        self._tree = tree
        self._start = time.perf_counter()
        self.process = subprocess.Popen(
            [str(tree.python), "setup.py", "develop"],
            cwd=tree.root,
            env=tree.variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self._pipe = self.process.stdout.fileno()
        self._text = b""
        self._open = True
        self.timeline = Timeline()

    def watch(self, seconds: float) -> None:
        """Takes note of what the run says during this time, or until it says something."""
        if select.select([self._pipe], [], [], seconds)[0]:
            data = os.read(self._pipe, 1 << 16)
            self._open = bool(data)
            self._text += data
        now = time.perf_counter() - self._start
        began = self.timeline.began
        said = {line.split(" ", 1)[0] for line in self._text.decode("utf-8", "replace").split("\n")}
        for phase, before in BEGINS.items():
            if phase not in began and (before in said if before else self._links()):
                began[phase] = now

    def _links(self) -> bool:
        """CMake links too, to learn what the compiler can do."""
        if "compile" not in self.timeline.began:
            self._tree.marks.unlink(missing_ok=True)
            return False
        return self._tree.marks.exists()

    @property
    def running(self) -> bool:
        return self._open

    def finish(self) -> Timeline:
        while self._open:
            self.watch(1.0)
        self.timeline.code = self.process.wait()
        self.process.stdout.close()  # type: ignore[union-attr]
        self.timeline.ended = time.perf_counter() - self._start
        self.timeline.output = self._text.decode("utf-8", "replace")
        return self.timeline


def undisturbed(tree: Tree) -> Timeline:
    """One run to its end, to learn how long its phases last."""
    return _Watched(tree).finish()


def signalled(
    tree: Tree, number: signal.Signals, phase: str, span: float, random: random.Random
) -> Timeline:
    """Sends the signal to the whole process group, at a random moment of the phase."""
    run = _Watched(tree)
    while run.running and phase not in run.timeline.began:
        run.watch(0.001)
    moment = time.perf_counter() + random.uniform(0.0, span)
    while run.running and (left := moment - time.perf_counter()) > 0:
        run.watch(left)
    if run.process.poll() is None:
        os.killpg(run.process.pid, number)
    return run.finish()
