"""Running Ninja to the end: progress while it works, a second try for what may succeed, else a diagnosis."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..failure import mitigation
from ..failure.failed_command import Collector
from ..failure.log import BUILD, Log
from ..failure.scene import Scene
from ..process import run
from ..resources import oom_kills
from ..resources.sampler import MemorySampler
from ..terminal.progress import Progress
from ..tree.ninja_log import LogEntry, read_entries
from .ninja_output import (
    STATUS,
    Ended,
    Failed,
    NinjaOutput,
    Started,
    TerminalLines,
    plain,
    transcript,
)

if TYPE_CHECKING:  # what only a failure needs
    from ..failure.diagnosis import Diagnosis
    from ..failure.remedies import Retry

_STOPPED = "ninja: build stopped: subcommand failed."
# The first line that names a mistake: not what a compiler says after its linker failed.
_ERROR = re.compile(
    r"\b(?:[Ee]rror|fatal) *: (?!ld returned|linker command failed)"
    r"|undefined reference to |multiple definition of "
)


@dataclass(frozen=True)
class FailedRun:
    """A command that failed, of which Ninja's log does not tell; its times are as there."""

    output: str
    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class Round:
    """One run of Ninja. Its log counts milliseconds from `started` (time.perf_counter)."""

    started: float
    entries: tuple[LogEntry, ...]
    """What this run added to Ninja's log."""
    failed: tuple[FailedRun, ...] = ()


@dataclass(frozen=True)
class Built:
    """The steps Ninja ran, as it describes them, and when each of its runs made what."""

    steps: tuple[str, ...]
    rounds: tuple[Round, ...] = ()
    memory: Mapping[str, int] = field(default_factory=dict)
    """Output -> peak in MiB, for the jobs that ran long enough to be measured."""
    retries: tuple[Retry, ...] = ()

    @property
    def outputs(self) -> set[str]:
        """Everything that was made, as Ninja's log spells it."""
        return {entry.output for each in self.rounds for entry in each.entries}


@dataclass
class _Listener:
    """Sorts Ninja's lines into steps, failures and the rest; all of them go to the log."""

    progress: Progress
    scene: Scene
    log: Log
    steps: list[str]
    ninja: NinjaOutput
    failures: Collector = field(default_factory=Collector)
    failed: list[FailedRun] = field(default_factory=list)
    _began: dict[str, list[float]] = field(default_factory=dict)
    """Step -> when those of this name that run now began, by Ninja's clock."""
    _last: tuple[float, float] = (0.0, 0.0)
    """When the step that ended last began and ended; with `-v` nobody tells when it began."""
    _names_error: bool = False

    def __call__(self, line: str) -> None:
        event = self.ninja.read(line)
        text = plain(event)
        if text is not None:
            self.log.line(text)
        of_failure = self.failures.read(event)
        if isinstance(event, Started):
            self._began.setdefault(event.text, []).append(event.time)
            self.progress.started(event.text)
        elif isinstance(event, Ended):
            began = self._began.get(event.text)
            self._last = (began.pop(0) if began else event.time, event.time)
            self.steps.append(event.text)
            self.progress.advance(event.done, event.total, event.text)
        elif isinstance(event, Failed):
            start, end = (round(1000 * seconds) for seconds in self._last)
            self.failed.append(FailedRun(event.outputs.partition(" ")[0], start, end))
            self.progress.failed(self.steps[-1] if self.steps else event.outputs)
            self._names_error = False
        elif text is not None and self._for_person(text, of_failure):
            self.progress.line(self.scene.shorten(text))

    def _for_person(self, text: str, of_failure: bool) -> bool:
        """Of a failure its first error, at once; the rest stands in the diagnosis, at the end."""
        if not of_failure:
            return text != _STOPPED
        first = not self._names_error and bool(_ERROR.search(text))
        self._names_error = self._names_error or first
        return first


class Ninja:
    """Ninja in one tree: each `make` is a run of it; what they did adds up."""

    def __init__(
        self,
        program: str,
        scene: Scene,
        *,
        progress: Progress,
        verbose: bool = False,
    ) -> None:
        self.program = program
        self.scene = scene
        self.verbose = verbose
        self.progress = progress
        self.log = Log(scene.build_dir, BUILD)
        self.steps: list[str] = []
        self.rounds: list[Round] = []
        self.memory: dict[str, int] = {}
        self.retries: list[Retry] = []

    def make(self, targets: list[str], jobs: int | None) -> list[Diagnosis]:
        """What failed of the targets; nothing when all were made. None lets Ninja choose the jobs."""
        options = [*([f"-j{jobs}"] if jobs else []), *(["-v"] if self.verbose else [])]
        command = [self.program, "-C", str(self.scene.build_dir), *options, *targets]
        self.log.line("$ " + " ".join(command))
        # Only on a terminal does Ninja say what it begins; causes are read from English words.
        said = {"NINJA_STATUS": STATUS, "TERM": "xterm", "LANGUAGE": "en"}
        variables = {**self.scene.environ, **said}
        scene = replace(self.scene, oom_kills=oom_kills())
        listener = _Listener(
            self.progress, self.scene, self.log, self.steps, NinjaOutput(self.verbose)
        )
        sampler = MemorySampler()
        known, started = set(read_entries(self.scene.build_dir)), time.perf_counter()
        try:
            result = run(
                command,
                environ=variables,
                on_line=listener,
                on_start=sampler.watch,
                terminal=TerminalLines(),
            )
        finally:
            for output, peak in sampler.stop().items():
                self.memory[output] = max(peak, self.memory.get(output, 0))
            entries = read_entries(self.scene.build_dir)
            made = tuple(entry for entry in entries if entry not in known)
            self.rounds.append(Round(started, made, tuple(listener.failed)))
        if result.code == 130 or "ninja: build stopped: interrupted by user." in result.output:
            raise KeyboardInterrupt
        if result.code == 0:
            return []
        from ..failure.diagnosis import diagnose, diagnose_text

        listener.failures.close()
        if not listener.failures.found:
            signal = f"ninja was ended by signal {-result.code}\n" if result.code < 0 else ""
            return [diagnose_text("the build", transcript(result.output) + signal, scene)]
        return [diagnose(failed, scene) for failed in listener.failures.found]

    def built(self) -> Built:
        """What was done so far."""
        memory = dict(sorted(self.memory.items()))
        return Built(tuple(self.steps), tuple(self.rounds), memory, tuple(self.retries))

    def close(self) -> None:
        self.progress.close()
        self.log.close()


def build(ninja: Ninja, targets: list[str], jobs: int | None) -> None:
    """Builds the targets; raises BuildError with the first failure that has no remedy."""
    scene = ninja.scene
    try:
        mitigation.lift_outdated(ninja.program, scene.build_dir, scene.environ)
        if failed := ninja.make(targets, jobs):
            from ..failure.remedies import remedy_all

            remedy_all(ninja, targets, jobs, failed)
    except KeyboardInterrupt as interrupt:
        if ninja.steps:
            interrupt.args = (*interrupt.args, f"{len(ninja.steps)} steps are done and stay done")
        raise
    finally:
        ninja.close()
