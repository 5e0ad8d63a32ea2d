"""Where the steps of a build are shown: plain lines, or a bar on a terminal."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Protocol


class Progress(Protocol):
    """Where the steps of a build are shown."""

    def started(self, text: str) -> None: ...
    def advance(self, done: int, total: int, text: str) -> None: ...
    def line(self, text: str) -> None: ...
    def close(self) -> None: ...


@dataclass
class PlainProgress:
    """One line per step."""

    def started(self, text: str) -> None:
        pass

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

    def started(self, text: str) -> None:
        pass

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
