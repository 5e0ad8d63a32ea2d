"""Where a command failed: what the lookups of a cause may see."""

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
    """A folder that programs of a build write to, and the bytes free there."""

    name: str
    path: Path
    free: int

    @property
    def full(self) -> bool:
        return self.free < 1 << 20


@dataclass(frozen=True)
class Scene:
    """The tree, and the run that failed in it."""

    root: Path
    build_dir: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    targets: Sequence[str] = ()
    """The libraries, programs and extensions that the table names."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Role of the front end -> the option that plays it."""
    jobs: int = 1
    oom_kills: int = 0
    """The kernel's count before the run."""

    def target_of(self, output: str) -> str:
        """The target that an object or a linked file belongs to; empty for others."""
        folder = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
        name = folder[1] if folder else Path(output).name.partition(".")[0].removeprefix("lib")
        owners = [t for t in self.targets if name == t or name.startswith(f"{t}_")]
        return max(owners, key=len, default="")

    def tightest_place(self) -> Place:
        """The one with the least room."""
        places = {
            "the build directory": self.build_dir,
            "TMPDIR": Path(self.environ.get("TMPDIR", "/tmp")),
        }
        rooms = []
        for name, path in places.items():
            with suppress(OSError):  # not there, or not for this user: it is not asked
                rooms.append(Place(name, path, shutil.disk_usage(path).free))
        return min(rooms, key=lambda place: place.free, default=Place("", self.root, sys.maxsize))

    def shorten(self, text: str) -> str:
        """Paths relative to the checkout; a compiler cache spells them from the build directory."""
        up = re.escape(os.path.relpath(self.root, self.build_dir))
        return re.sub(rf"(?<![\w./-]){up}/(?!\.\.)", "", text.replace(f"{self.root}/", ""))
