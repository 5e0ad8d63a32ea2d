"""What an edit is: something done to a checkout, and the most that the build after it may do."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .checkout import BUILD, Checkout, Way

FRONT_END = (Way.DEVELOP, Way.PIP)


@dataclass(frozen=True)
class Due:
    """The most that the next build may do, if the last one left nothing to do."""

    generated: Mapping[str, int] | None = None
    """How many generated files of a pattern may come, go or change, and no others; None is no limit."""
    compiles: bool = True
    """Whether anything may be compiled at all. (Ninja on its own goes by times.)"""
    ways: tuple[Way, ...] = tuple(Way)
    """The ways of building that can notice the edit."""
    unknown: bool = False
    """No log tells Ninja what was compiled from what, so on its own it may compile everything again."""


NOTHING = Due({}, compiles=False)
SOURCES = Due({})
ANYTHING = Due()


@dataclass
class Desk:
    """What a person works with: a checkout, the build directory in use, and a source of chance."""

    checkout: Checkout
    folder: Path
    """For logs, and copies of the checkout."""
    chosen: random.Random = field(default_factory=random.Random)
    build_dir: str = BUILD
    configured: dict[str, str] = field(default_factory=dict)
    """Build directory to the key of the settings that it was configured with."""
    build_dirs: set[str] = field(default_factory=set)
    """Every one that was ever in use."""
    after_build: Callable[[], None] = lambda: None
    mistaken: Callable[[Path], None] = lambda path: None
    """To be told of a source that a failed build may have been made from."""
    notes: list[str] = field(default_factory=list)
    """What this step did, for the report of a failure."""

    @property
    def root(self) -> Path:
        return self.checkout.root

    @property
    def build_path(self) -> Path:
        return self.root / self.build_dir

    def number(self) -> int:
        """A number that no earlier edit used, almost surely."""
        return self.chosen.randrange(10**6, 10**7)

    def pick(self, pattern: str) -> Path:
        """One of the checkout's files that match."""
        found = sorted(self.root.glob(pattern))
        path = self.chosen.choice(found)
        self.note(path)
        return path

    def note(self, what: object) -> None:
        path = Path(str(what))
        inside = path.is_absolute() and path.is_relative_to(self.root)
        self.notes.append(str(path.relative_to(self.root) if inside else what))

    def ways(self, allowed: tuple[Way, ...] = tuple(Way)) -> list[Way]:
        """Those of the ways that can give what the settings ask for: Ninja keeps what it was given."""
        configured = self.configured.get(self.build_dir) == self.checkout.settings.key()
        return [way for way in allowed if way is not Way.NINJA or configured]

    def draw_way(self, allowed: tuple[Way, ...] = tuple(Way)) -> Way:
        weights = {Way.DEVELOP: 5, Way.NINJA: 3, Way.CODEGEN: 2, Way.PIP: 1}
        ways = self.ways(allowed)
        return self.chosen.choices(ways, [weights[way] for way in ways])[0]

    def build(
        self, way: Way, as_arguments: bool = False, *, fails: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Build; what a front end was asked for is what Ninja then works with."""
        self.note(way.value)
        self.build_dirs.add(self.build_dir)
        result = self.checkout.build(way, self.build_dir, as_arguments)
        self.after_build()
        if result.returncode == 0 and way in FRONT_END:
            self.configured[self.build_dir] = self.checkout.settings.key()
        if fails:
            assert result.returncode, f"{way.value} accepts a mistake:\n{result.stdout}"
        return result

    def interrupt(self, way: Way, act: Callable[[subprocess.Popen[bytes]], None]) -> None:
        """Start a build and do something to it, or to the sources, while it runs."""
        started = self.checkout.start(way, self.build_dir, self.folder / "interrupted.log")
        moment = self.chosen.uniform(0.0, 1.2)
        self.note(f"{way.value}, after {moment:.2f} s")
        time.sleep(moment)
        act(started)
        started.wait()
        said = (self.folder / "interrupted.log").read_text("utf-8", "replace")
        assert "Traceback" not in said, said


Apply = Callable[[Desk], Due]


def always(desk: Desk) -> bool:
    return True


@dataclass(frozen=True)
class Edit:
    """One row of the page."""

    name: str
    apply: Apply
    possible: Callable[[Desk], bool] = always


def insert_line(desk: Desk, path: Path, line: str, *, before: str = "") -> None:
    """Put a line somewhere into a text, in front of one that begins like `before`."""
    lines = path.read_text(encoding="utf-8").splitlines(True)
    places = [i for i, text in enumerate(lines) if text.startswith(before)]
    places += [] if before else [len(lines)]
    lines.insert(desk.chosen.choice(places), line)
    path.write_text("".join(lines), encoding="utf-8")
    desk.note(f"{path.name}: {line.strip() or 'blank line'}")


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
