"""Commands that failed, read from Ninja's output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..graph.ninja_output import Ended, Event, Failed, Started, Text

# Arguments that say nothing about what a command does; the log has them.
_TERSE = re.compile(r"-(?:[DWfI]|std=|isystem|M[A-Z]*$|pedantic|pthread)|-Wl,")
_WITH_VALUE = frozenset(("-isystem", "-MF", "-MT", "-MQ", "-I", "-D"))
LONGEST = 240
"""Characters of a command that are shown."""


@dataclass(frozen=True)
class FailedCommand:
    """One command that Ninja ran in vain."""

    output: str
    """The first file that it should have made."""
    command: str
    lines: tuple[str, ...]
    """What it printed."""
    exit_code: int | None = None
    """Known from Ninja 1.13 on; 128 and the signal's number for a killed command."""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def source(self) -> str:
        """The file that it compiles; empty for a link and others."""
        words = _words(self.command)
        return words[words.index("-c") + 1] if "-c" in words[:-1] else ""

    @property
    def name(self) -> str:
        """What a person calls it."""
        return (self.source or self.output).rpartition("/")[2]

    @property
    def silent(self) -> bool:
        """Printed nothing though it makes a file, and no exit code is known: it was killed.

        Compilers do not fail without a word.
        """
        if self.exit_code is not None:
            return False
        return not self.text.strip() and re.search(r"\s-[co]\s", self.command) is not None


@dataclass
class Collector:
    """Puts failures together from Ninja's events."""

    found: list[FailedCommand] = field(default_factory=list)
    _failed: Failed | None = None
    _lines: list[str] = field(default_factory=list)
    _before: list[str] = field(default_factory=list)
    """What came since the last step: a command that has Ninja's console prints before it fails."""

    def read(self, event: Event | None) -> bool:
        """Whether the event belongs to a failure and so has its place in the report of it."""
        match event:
            case Failed():
                self.close()
                self._failed = event
            case Text(line, from_ninja=False) if self._failed:
                self._lines.append(line)
            case Text(line, from_ninja=False):
                self._before.append(line)
            case Started() | Ended() | Text():
                self.close()
                self._before = []
        return self._failed is not None and isinstance(event, Failed | Text)

    def close(self) -> None:
        """No more events: the last failure is complete."""
        if self._failed:
            command, *lines = self._lines or [""]
            lines = lines or self._before
            output = (self._failed.outputs.split() or [""])[0]
            self.found.append(FailedCommand(output, command, tuple(lines), self._failed.exit_code))
        self._failed, self._lines = None, []


def _words(command: str) -> list[str]:
    """As a shell splits them; none when the command was cut short."""
    try:
        return shlex.split(command.removeprefix(": && ").removesuffix(" && :"))
    except ValueError:
        return []


def shorten(command: str) -> str:
    """The program, what it reads and writes, and how many further arguments there are."""
    words = _words(command)
    if not words:
        return command[:LONGEST]
    kept, left_out = _essential(_behind_cache(words))
    text = shlex.join(kept)
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} ..."
    return text + (f" (and {left_out} more)" if left_out else "")


def _behind_cache(words: Sequence[str]) -> Sequence[str]:
    """The compiler's own command line, without the compiler cache in front of it."""
    for position, word in enumerate(words):
        if word.startswith("-"):
            break
        if word.rpartition("/")[2] in ("ccache", "sccache"):
            return words[position + 1 :]
    return words


def _essential(words: Sequence[str]) -> tuple[list[str], int]:
    """Without flags, and with the first object only of a link's many."""
    kept: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        if _TERSE.match(word):
            position += 2 if word in _WITH_VALUE else 1
            continue
        is_input = word.endswith(".o") and kept[-1:] != ["-o"]
        if not is_input or not any(other.endswith(".o") for other in kept):
            kept.append(word)
        position += 1
    return kept, len(words) - len(kept)
