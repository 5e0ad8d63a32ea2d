"""A failed command: the tree and the run it failed in, and what is known about it after a diagnosis."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from .failed_command import FailedCommand


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
