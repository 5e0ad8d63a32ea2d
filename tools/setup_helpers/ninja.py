"""Running Ninja: progress while it works, the first failure when it does not."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .errors import BuildError
from .ninja_output import (
    STATUS,
    Ended,
    Failed,
    NinjaOutput,
    Started,
    TerminalLines,
    Text,
    transcript,
)
from .process import run
from .reporting.ninja_log import LogEntry, read_entries
from .terminal.progress import Progress, make_progress


@dataclass
class _Listener:
    """Sorts Ninja's lines into steps, failures and the rest."""

    progress: Progress
    ninja: NinjaOutput = field(default_factory=NinjaOutput)
    steps: list[str] = field(default_factory=list)
    failure: list[str] = field(default_factory=list)
    _in_failure: bool = False
    _failures: int = 0

    def __call__(self, line: str) -> None:
        match self.ninja.read(line):
            case Started(text):
                self.progress.started(text)
            case Ended(done, total, text):
                self._in_failure = False
                self.steps.append(text)
                self.progress.advance(done, total, text)
            case Failed(outputs):
                self._failures += 1
                self._in_failure = self._failures == 1
                self._keep(f"FAILED: {outputs}")
            case Text(text, from_ninja):
                self._in_failure = self._in_failure and not from_ninja
                self._keep(text)

    def _keep(self, line: str) -> None:
        if self._in_failure:
            self.failure.append(line)
        else:
            self.progress.line(line)


@dataclass(frozen=True)
class Round:
    """One run of Ninja. Its log counts milliseconds from `started` (time.perf_counter)."""

    started: float
    entries: tuple[LogEntry, ...]
    """What this run added to Ninja's log."""


@dataclass(frozen=True)
class Built:
    """The steps Ninja ran, as it describes them, and when each of its runs made what."""

    steps: tuple[str, ...]
    rounds: tuple[Round, ...] = ()


def build(
    ninja: str,
    build_dir: Path,
    targets: list[str],
    jobs: int,
    environ: Mapping[str, str],
    *,
    verbose: bool = False,
    progress: Callable[[bool], Progress] = make_progress,
) -> Built:
    """Builds the targets; raises BuildError that ends with the first failing command's diagnostics."""
    command = [ninja, "-C", str(build_dir), f"-j{jobs}", *(["-v"] if verbose else []), *targets]
    listener = _Listener(progress(verbose))
    # Only on a terminal does Ninja say what it begins.
    variables = {**environ, "NINJA_STATUS": STATUS, "TERM": "xterm"}
    known, started = set(read_entries(build_dir)), time.perf_counter()
    try:
        result = run(command, environ=variables, on_line=listener, terminal=TerminalLines())
    finally:
        listener.progress.close()
    if result.code == 130 or "ninja: build stopped: interrupted by user." in result.output:
        raise KeyboardInterrupt
    if result.code:
        raise _failure(listener, transcript(result.output))
    made = tuple(entry for entry in read_entries(build_dir) if entry not in known)
    return Built(tuple(listener.steps), (Round(started, made),))


def _failure(listener: _Listener, output: str) -> BuildError:
    if not listener.failure:
        return BuildError("the build failed", cause="\n".join(output.splitlines()[-14:]))
    target, *rest = listener.failure
    command, diagnostics = (rest[0] if rest else ""), rest[1:]
    hint = ""
    text = "\n".join(diagnostics)
    if re.search(r"Killed signal terminated|signal 9|: Killed", text):
        hint = (
            "the compiler was killed, most likely because memory ran out; lower the number of jobs"
        )
    elif "No space left on device" in text:
        hint = "the disk is full"
    names = target.removeprefix("FAILED: ").split()
    source = re.search(r" -c (\S+)$", command)
    name = os.path.basename(source[1]) if source else names[0]
    shown = diagnostics if len(diagnostics) <= 60 else [*diagnostics[:60], "..."]
    return BuildError(f"building {name} failed", cause="\n".join([command, *shown]), hint=hint)
