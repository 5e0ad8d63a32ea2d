"""Failed commands: collected from Ninja's output, where they failed, and what a diagnosis knows about them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from tools.base.ninja_output import Ended, Event, Failed, Started, Text

# Arguments that do not help to see what a command does; the log has them.
_TERSE = re.compile(r"-(?:[DWfI]|std=|isystem|M[A-Z]*$|pedantic|pthread)|-Wl,")
_WITH_VALUE = frozenset(("-isystem", "-MF", "-MT", "-MQ", "-I", "-D"))
# Launchers in front of a compiler, and after how many words each names the next program.
_LAUNCHERS = {"canonical_command.sh": 3, "ccache": 1, "sccache": 1}
LONGEST = 240
"""Most characters of a command to show."""


@dataclass(frozen=True)
class Place:
    """A folder that the programs of a build write to, and its free space in bytes."""

    name: str
    path: Path
    free: int

    @property
    def full(self) -> bool:
        return self.free < 1 << 20


@dataclass(frozen=True)
class FailureContext:
    """The tree, and the run that failed in it."""

    root: Path
    build_dir: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    targets: Sequence[str] = ()
    """Names of the libraries, programs and extensions in the table."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Role in the front end -> name of the option that has this role."""
    jobs: int = 1
    oom_kills: int = 0
    """The kernel's count of out-of-memory kills before the run."""

    def target_of(self, output: str) -> str:
        """Return the target that an object or linked file belongs to; empty for other files."""
        folder = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
        name = folder[1] if folder else Path(output).name.partition(".")[0].removeprefix("lib")
        owners = [t for t in self.targets if name == t or name.startswith(f"{t}_")]
        return max(owners, key=len, default="")

    def tightest_place(self) -> Place:
        """Return the place with the least free space."""
        places = {
            "the build directory": self.build_dir,
            "TMPDIR": Path(self.environ.get("TMPDIR", "/tmp")),
        }
        rooms = []
        for name, path in places.items():
            with suppress(OSError):  # it does not exist, or this user may not read it
                rooms.append(Place(name, path, shutil.disk_usage(path).free))
        return min(rooms, key=lambda place: place.free, default=Place("", self.root, sys.maxsize))

    def shorten(self, text: str) -> str:
        """Make paths relative to the checkout.

        A compiler cache spells them relative to the build directory.
        """
        up = re.escape(os.path.relpath(self.root, self.build_dir))
        return re.sub(rf"(?<![\w./-]){up}/(?!\.\.)", "", text.replace(f"{self.root}/", ""))


class Remedy(Enum):
    """What a build may try automatically before it reports the failure."""

    NONE = ""
    ALONE = "alone"
    """Run the same command with no other job in parallel."""
    MITIGATE = "mitigate"
    """Compile the same file with fewer demands on the compiler."""


class Diagnosis(Protocol):
    """Everything known about one failure."""

    @property
    def output(self) -> str:
        """The file that could not be built; empty for a failure of Ninja itself."""

    @property
    def name(self) -> str: ...
    @property
    def command(self) -> str: ...
    @property
    def cause_id(self) -> str: ...
    @property
    def cause(self) -> str: ...
    @property
    def hint(self) -> str: ...
    @property
    def remedy(self) -> Remedy: ...
    def with_cause(self, cause: str) -> Diagnosis:
        """Return the same diagnosis with another text for the cause."""

    def render(self) -> str:
        """Return the text between message and hint."""

    def to_json(self) -> dict[str, Any]:
        """Return the failure's entry in the records."""


class Diagnostician(Protocol):
    """Receives failures and finds out what caused them."""

    def diagnose(self, failed: FailedCommand, context: FailureContext) -> Diagnosis:
        """Diagnose a failed command of the build graph."""

    def diagnose_text(self, name: str, output: str, context: FailureContext) -> Diagnosis:
        """Diagnose a failure from the whole output of a program such as CMake."""


@dataclass(frozen=True)
class FailedCommand:
    """One command that failed under Ninja."""

    output: str
    """The command's first output."""
    command: str
    lines: tuple[str, ...]
    """What it printed."""
    exit_code: int | None = None
    """Known from Ninja 1.13 on; 128 plus the signal's number for a killed command."""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def source(self) -> str:
        """The file that the command compiles; empty for links and other commands."""
        words = _words(self.command)
        return words[words.index("-c") + 1] if "-c" in words[:-1] else ""

    @property
    def name(self) -> str:
        """The file name to show to a user."""
        return (self.source or self.output).rpartition("/")[2]

    @property
    def silent(self) -> bool:
        """Whether the command was probably killed.

        True when it writes a file, printed nothing, and its exit code is unknown: compilers do not
        fail without a message.
        """
        if self.exit_code is not None:
            return False
        return not self.text.strip() and re.search(r"\s-[co]\s", self.command) is not None


@dataclass
class Collector:
    """Assemble failed commands from Ninja's events."""

    found: list[FailedCommand] = field(default_factory=list)
    _failed: Failed | None = None
    _lines: list[str] = field(default_factory=list)
    _before: list[str] = field(default_factory=list)
    """Output since the last step: a command that owns Ninja's console prints before it fails."""

    def read(self, event: Event | None) -> bool:
        """Process one event; return whether it belongs to a failure and will be reported with it."""
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
        """Complete the last failure; call this when there are no more events."""
        if self._failed:
            command, *lines = self._lines or [""]
            lines = lines or self._before
            output = (self._failed.outputs.split() or [""])[0]
            self.found.append(FailedCommand(output, command, tuple(lines), self._failed.exit_code))
        self._failed, self._lines = None, []


def _words(command: str) -> list[str]:
    """Split a command as a shell does; return no words when the command was cut off."""
    try:
        return shlex.split(command.removeprefix(": && ").removesuffix(" && :"))
    except ValueError:
        return []


def shorten(command: str) -> str:
    """Reduce a command to its program, inputs and outputs, and the number of other arguments."""
    words = _words(command)
    if not words:
        return command[:LONGEST]
    kept, left_out = _essential(_without_launchers(words))
    text = shlex.join(kept)
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} ..."
    return text + (f" (and {left_out} more)" if left_out else "")


def _without_launchers(words: Sequence[str]) -> Sequence[str]:
    """Return the compiler's own command line, without a compiler cache or another launcher."""
    start = 0
    for position, word in enumerate(words):
        if word.startswith("-"):
            break
        if skipped := _LAUNCHERS.get(word.rpartition("/")[2]):
            start = max(start, position + skipped)
    return words[start:]


def _essential(words: Sequence[str]) -> tuple[list[str], int]:
    """Drop flags, and all but the first object of a link; also return the number of dropped words."""
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
