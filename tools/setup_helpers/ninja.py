"""Running Ninja: progress while it works, the first failure when it does not."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .errors import BuildError
from .process import run

_STATUS = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")


class Progress(Protocol):
    """Where the steps of a build are shown."""

    def advance(self, done: int, total: int, text: str) -> None: ...
    def line(self, text: str) -> None: ...
    def close(self) -> None: ...


@dataclass
class PlainProgress:
    """One line per step."""

    def advance(self, done: int, total: int, text: str) -> None:
        print(f"[{done}/{total}] {text}", flush=True)

    def line(self, text: str) -> None:
        print(text, flush=True)

    def close(self) -> None:
        pass


class BarProgress:
    """A bar on a terminal; rich is imported only here."""

    def __init__(self) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as RichProgress

        self._rich = RichProgress(
            BarColumn(30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
            transient=True,
        )
        self._task = self._rich.add_task("", total=None)
        self._rich.start()

    def advance(self, done: int, total: int, text: str) -> None:
        short = text.removeprefix("Building CXX object ").removeprefix("Building C object ")
        self._rich.update(self._task, completed=done, total=total, description=short[-60:])

    def line(self, text: str) -> None:
        self._rich.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        self._rich.stop()


def make_progress(verbose: bool) -> Progress:
    if verbose or not sys.stdout.isatty():
        return PlainProgress()
    try:
        return BarProgress()
    except ImportError:
        return PlainProgress()


@dataclass
class _Listener:
    """Sorts Ninja's lines into steps, failures and the rest."""

    progress: Progress
    steps: list[str] = field(default_factory=list)
    failure: list[str] = field(default_factory=list)
    _in_failure: bool = False
    _failures: int = 0

    def __call__(self, line: str) -> None:
        if line.startswith("ninja: Entering directory") or "Re-checking globbed" in line:
            return
        if match := _STATUS.match(line):
            self._in_failure = False
            self.steps.append(match[3])
            self.progress.advance(int(match[1]), int(match[2]), match[3])
            return
        if line.startswith("FAILED: "):
            self._failures += 1
            self._in_failure = self._failures == 1
        elif line.startswith("ninja: "):
            self._in_failure = False
        if self._in_failure:
            self.failure.append(line)
        else:
            self.progress.line(line)


@dataclass(frozen=True)
class Built:
    """The steps Ninja ran, as it describes them."""

    steps: tuple[str, ...]


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
    variables = {**environ, "NINJA_STATUS": "[%f/%t] "}
    try:
        result = run(command, environ=variables, on_line=listener)
    finally:
        listener.progress.close()
    if result.code == 130:
        raise KeyboardInterrupt
    if result.code:
        raise _failure(listener, result.output)
    return Built(tuple(listener.steps))


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
