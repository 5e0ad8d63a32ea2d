"""The tree and the run in which a command failed, for the lookups of causes."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


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
