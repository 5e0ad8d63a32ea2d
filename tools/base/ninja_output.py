"""Parse Ninja's output into events: steps that start and end, failures, and other text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

# NINJA_STATUS: finished steps, all steps and the time, between marks that no compiler prints.
MARK = "\x02"
STATUS = f"{MARK}%f/%t %e{MARK}"
_STATUS = re.compile(f"{MARK}(\\d+)/(\\d+)(?: ([\\d.]+))?{MARK}(.*)")
_ERASE = "\x1b[K"
_STATUS_END = re.compile(r"\x1b\[K|\r?\n")
_LINE_END = re.compile(r"\r?\n")
# CMake's steps that may change the graph. Ninja then reloads it, restarts its count and does not
# report their end.
_UNENDING = ("Re-checking globbed directories...", "Re-running CMake...")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_FAILED = re.compile(r"FAILED: (?:\[code=(?P<code>\d+)\] )?(?P<outputs>.*)")


@dataclass(frozen=True)
class Started:
    """A step starts. Ninja reports this only on a terminal."""

    text: str
    time: float = field(default=0.0, compare=False)
    """Seconds on the clock of Ninja's log."""


@dataclass(frozen=True)
class Ended:
    """A step has ended, successfully or not."""

    done: int
    total: int
    text: str
    time: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class Failed:
    """A step has failed. Its command and output follow as text."""

    outputs: str
    exit_code: int | None = None
    """Reported by Ninja 1.13 and newer; 128 plus the signal's number for a killed command."""


@dataclass(frozen=True)
class Text:
    """A line printed by a command, or by Ninja itself."""

    line: str
    from_ninja: bool = False


Event: TypeAlias = Started | Ended | Failed | Text


class TerminalLines:
    """Splitter of Ninja's output, to a terminal or a pipe, into lines.

    On a terminal each status overwrites the last one, and ends with the code that erases the rest of the
    line.
    """

    def __init__(self) -> None:
        self._after_status = False

    def __call__(self, text: str) -> tuple[list[str], str]:
        """Return the complete lines, and the beginning of an incomplete one."""
        lines = []
        position = 0
        while position < len(text):
            character = text[position]
            if character == "\r" or (character == "\n" and self._after_status):
                self._after_status = self._after_status and character == "\r"
                position += 1
                continue
            end = _STATUS_END if character == MARK else _LINE_END
            if not (found := end.search(text, position)):
                break
            lines.append(text[position : found.start()])
            self._after_status = found[0] == _ERASE
            position = found.end()
        return lines, text[position:]


@dataclass
class NinjaOutput:
    """Parser of one run's lines. With `-v` Ninja reports no starts, not even to a terminal."""

    verbose: bool = False
    running: Counter[str] = field(default_factory=Counter)
    _done: int = 0
    _shows_starts: bool = False

    def read(self, line: str) -> Event | None:
        """Return the event of a line, or None if it has no information."""
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
        """Return the event of a status: a start if the count of finished steps did not change."""
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
    """Return the line that Ninja writes to a pipe for this event, without colours, if any."""
    match event:
        case Ended(done, total, text):
            return f"[{done}/{total}] {text}"
        case Failed(outputs):
            return f"FAILED: {outputs}"
        case Text(text):
            return text
    return None


def transcript(output: str) -> str:
    """Return one run's whole output as Ninja would write it to a pipe, without colours."""
    ninja = NinjaOutput()
    lines = (plain(ninja.read(line)) for line in output.removesuffix("\n").split("\n"))
    return "".join(f"{line}\n" for line in lines if line is not None)
