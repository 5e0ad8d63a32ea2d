"""What Ninja writes while it works, as events: steps begun and ended, failures, and the rest."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

# NINJA_STATUS: a control character that no compiler writes, the steps ended, all of them, and the clock.
MARK = "\x02"
STATUS = f"{MARK}%f/%t %e{MARK}"
_STATUS = re.compile(f"{MARK}(\\d+)/(\\d+)(?: ([\\d.]+))?{MARK}(.*)")
_ERASE = "\x1b[K"
_STATUS_END = re.compile(r"\x1b\[K|\r?\n")
_LINE_END = re.compile(r"\r?\n")
# CMake's steps that may change the graph: Ninja reads it again and counts anew, without their end.
_UNENDING = ("Re-checking globbed directories...", "Re-running CMake...")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_FAILED = re.compile(r"FAILED: (?:\[code=(?P<code>\d+)\] )?(?P<outputs>.*)")


@dataclass(frozen=True)
class Started:
    """A step begins; only on a terminal does Ninja say so."""

    text: str
    time: float = field(default=0.0, compare=False)
    """Seconds by Ninja's clock, which its log goes by."""


@dataclass(frozen=True)
class Ended:
    """A step is over, well or not."""

    done: int
    total: int
    text: str
    time: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class Failed:
    """Its command and output follow, as text."""

    outputs: str
    exit_code: int | None = None
    """Known from Ninja 1.13 on; 128 and the signal's number for a killed command."""


@dataclass(frozen=True)
class Text:
    """What a command printed, or Ninja itself."""

    line: str
    from_ninja: bool = False


Event: TypeAlias = Started | Ended | Failed | Text


class TerminalLines:
    """Cuts into lines what Ninja writes to a terminal, or to a pipe.

    On a terminal it overwrites each status with the next: one ends where the rest of its line is erased.
    """

    def __init__(self) -> None:
        self._behind_status = False

    def __call__(self, text: str) -> tuple[list[str], str]:
        """The lines, and the beginning of one that is not complete."""
        lines = []
        position = 0
        while position < len(text):
            character = text[position]
            if character == "\r" or (character == "\n" and self._behind_status):
                self._behind_status = self._behind_status and character == "\r"
                position += 1
                continue
            end = _STATUS_END if character == MARK else _LINE_END
            if not (found := end.search(text, position)):
                break
            lines.append(text[position : found.start()])
            self._behind_status = found[0] == _ERASE
            position = found.end()
        return lines, text[position:]


@dataclass
class NinjaOutput:
    """Reads the lines of one run. With `-v` Ninja names no start, not even to a terminal."""

    verbose: bool = False
    running: Counter[str] = field(default_factory=Counter)
    _done: int = 0
    _shows_starts: bool = False

    def read(self, line: str) -> Event | None:
        """None for a line that says nothing."""
        if match := _STATUS.match(line):
            return self._step(int(match[1]), int(match[2]), float(match[3] or 0.0), match[4])
        line = _COLOUR.sub("", line)
        if match := _FAILED.match(line):
            code = int(match["code"]) if match["code"] else None
            return Failed(match["outputs"].strip(), code)
        if line.startswith("ninja: "):
            idle = line.startswith(("ninja: Entering directory", "ninja: no work to do"))
            return None if idle else Text(line, from_ninja=True)
        return Text(line)

    def _step(self, done: int, total: int, time: float, text: str) -> Event | None:
        """A count that stands still means a start."""
        if text in _UNENDING:
            self._done = 0
            return None
        stands_still = done == self._done or (self._shows_starts and not self.running[text])
        begins = stands_still and not self.verbose
        self._done = done
        if begins:
            self._shows_starts = True
            self.running[text] += 1
            return Started(text, time)
        self.running[text] -= 1
        return Ended(done, total, text, time)


def plain(event: Event | None) -> str | None:
    """An event's line as Ninja writes it to a pipe, without colours; None when it has none there."""
    match event:
        case Ended(done, total, text):
            return f"[{done}/{total}] {text}"
        case Failed(outputs):
            return f"FAILED: {outputs}"
        case Text(text):
            return text
    return None


def transcript(output: str) -> str:
    """One run's whole output as Ninja writes it to a pipe, without colours."""
    ninja = NinjaOutput()
    lines = (plain(ninja.read(line)) for line in output.removesuffix("\n").split("\n"))
    return "".join(f"{line}\n" for line in lines if line is not None)
