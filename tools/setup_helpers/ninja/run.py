"""Run Ninja: show progress, and diagnose failures."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from tools.base.ninja_log import LogEntry, read_entries
from tools.base.ninja_output import (
    STATUS,
    Ended,
    Failed,
    NinjaOutput,
    Started,
    TerminalLines,
    plain,
    transcript,
)
from tools.base.process import run

from ..state.logs import BUILD, Log
from .failures import Collector, Diagnosis, Diagnostician, FailureContext
from .limits import oom_kills
from .sampler import MemorySampler

# Ninja cannot read a file that CMake wrote, such as one with a name that has no spelling in it.
_UNREADABLE = re.compile(
    r"^ninja: error: (?:build|CMakeFiles/rules)\.ninja:\d+: "
    r"|^(?:\x1b\[[\d;]*m)*CMake Error at \S*CMakeFiles/VerifyGlobs\.cmake:\d+:",
    re.MULTILINE,
)
_STOPPED = "ninja: build stopped: subcommand failed."
# A line that names an error, other than a compiler's remark that its linker failed.
_ERROR = re.compile(
    r"\b(?:[Ee]rror|fatal) *: (?!ld returned|linker command failed)"
    r"|undefined reference to |multiple definition of "
)


HitRate = Callable[[], float | None]
"""The share of compilations that the compiler cache answered so far, 0 to 1."""


class Progress(Protocol):
    """Receives the events of a build; `text` is Ninja's description of a step."""

    def started(self, text: str) -> None: ...
    def advance(self, done: int, total: int, text: str) -> None: ...
    def failed(self, text: str) -> None: ...
    def line(self, text: str) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class FailedRun:
    """A command that failed, which Ninja's log does not list; the times are on the log's clock."""

    output: str
    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class Round:
    """One run of Ninja. Its log counts milliseconds from `started` (time.perf_counter)."""

    started: float
    entries: tuple[LogEntry, ...]
    """The entries that this run added to Ninja's log."""
    failed: tuple[FailedRun, ...] = ()


@dataclass(frozen=True)
class Retry:
    """A command that failed first and succeeded when retried."""

    output: str
    name: str
    cause: str
    how: str
    memory_mb: int = 0
    """Peak memory; 0 when the command was too short to be measured."""

    @property
    def text(self) -> str:
        """The line shown in the terminal."""
        took = f" ({self.memory_mb} MiB)" if self.memory_mb else ""
        return f"{self.name}: {self.cause}; built {self.how}{took}"


@dataclass(frozen=True)
class Built:
    """The steps that Ninja ran, by their descriptions, and the outputs and times of each run."""

    steps: tuple[str, ...]
    rounds: tuple[Round, ...] = ()
    memory: Mapping[str, int] = field(default_factory=dict)
    """Output -> peak memory in MiB, for jobs that ran long enough to be measured."""
    retries: tuple[Retry, ...] = ()

    @property
    def outputs(self) -> set[str]:
        """All outputs made, with the paths of Ninja's log."""
        return {entry.output for each in self.rounds for entry in each.entries}


@dataclass
class _Listener:
    """Receiver of Ninja's lines: it logs each one and sorts them into steps, failures and other text."""

    progress: Progress
    context: FailureContext
    log: Log
    steps: list[str]
    ninja: NinjaOutput
    failures: Collector = field(default_factory=Collector)
    failed: list[FailedRun] = field(default_factory=list)
    _began: dict[str, list[float]] = field(default_factory=dict)
    """Description -> start times of the running steps with that description, by Ninja's clock."""
    _last: tuple[float, float] = (0.0, 0.0)
    """Start and end of the step that ended last; with `-v` Ninja does not report the start."""
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
        elif text is not None and self._should_show(text, of_failure):
            self.progress.line(self.context.shorten(text))

    def _should_show(self, text: str, of_failure: bool) -> bool:
        """Whether to show a line at once: of a failure only its first error; the diagnosis has the rest."""
        if not of_failure:
            return text != _STOPPED
        first = not self._names_error and bool(_ERROR.search(text))
        self._names_error = self._names_error or first
        return first


class Ninja:
    """Ninja in one tree; the results of successive `make` calls are accumulated."""

    def __init__(
        self,
        program: str,
        context: FailureContext,
        *,
        progress: Progress,
        diagnostician: Diagnostician,
        verbose: bool = False,
    ) -> None:
        self.program = program
        self.context = context
        self.verbose = verbose
        self.progress = progress
        self.diagnostician = diagnostician
        self.log = Log(context.build_dir, BUILD)
        self.steps: list[str] = []
        self.rounds: list[Round] = []
        self.memory: dict[str, int] = {}
        self.retries: list[Retry] = []
        self.graph_is_unreadable = False

    def make(self, targets: list[str], jobs: int | None) -> list[Diagnosis]:
        """Run Ninja once and return the failures. If `jobs` is None, Ninja chooses their number."""
        options = [*([f"-j{jobs}"] if jobs else []), *(["-v"] if self.verbose else [])]
        command = [self.program, "-C", str(self.context.build_dir), *options, *targets]
        self.log.line("$ " + " ".join(command))
        # Ninja reports the start of a step only on a terminal; causes are recognised by English words.
        fixed = {"NINJA_STATUS": STATUS, "TERM": "xterm", "LANGUAGE": "en"}
        variables = {**self.context.environ, **fixed}
        context = replace(self.context, oom_kills=oom_kills())
        listener = _Listener(
            self.progress, self.context, self.log, self.steps, NinjaOutput(self.verbose)
        )
        sampler = MemorySampler()
        known, started = set(read_entries(self.context.build_dir)), time.perf_counter()
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
            entries = read_entries(self.context.build_dir)
            made = tuple(entry for entry in entries if entry not in known)
            self.rounds.append(Round(started, made, tuple(listener.failed)))
        if result.code == 130 or "ninja: build stopped: interrupted by user." in result.output:
            raise KeyboardInterrupt
        if result.code == 0:
            return []
        self.graph_is_unreadable = bool(_UNREADABLE.search(result.output))
        listener.failures.close()
        if not listener.failures.found:
            signal = f"ninja was ended by signal {-result.code}\n" if result.code < 0 else ""
            return [
                self.diagnostician.diagnose_text(
                    "the build", transcript(result.output) + signal, context
                )
            ]
        return [self.diagnostician.diagnose(failed, context) for failed in listener.failures.found]

    def built(self) -> Built:
        """Return what was built so far."""
        memory = dict(sorted(self.memory.items()))
        return Built(tuple(self.steps), tuple(self.rounds), memory, tuple(self.retries))

    def close(self) -> None:
        self.progress.close()
        self.log.close()
