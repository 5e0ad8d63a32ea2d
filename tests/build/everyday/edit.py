"""Edits: a change to a checkout, and a limit on the work of the build that follows."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .checkout import BUILD, BuildMethod, Checkout

FRONT_END = (BuildMethod.DEVELOP, BuildMethod.PIP)


@dataclass(frozen=True)
class Limits:
    """The most work that the next build may do, provided that the tree was up to date."""

    generated: Mapping[str, int] | None = None
    """How many generated files may change, by pattern; other files may not. None: no limit."""
    compiles: bool = True
    """Whether anything may be compiled. (Does not apply to Ninja alone, which compares times.)"""
    methods: tuple[BuildMethod, ...] = tuple(BuildMethod)
    """The build commands that can notice the edit."""
    log_lost: bool = False
    """Whether Ninja's log is lost, so that Ninja on its own may recompile everything."""


NOTHING = Limits({}, compiles=False)
SOURCES = Limits({})
ANYTHING = Limits()


@dataclass
class Workspace:
    """A checkout being worked on, its current build directory, and a random number generator."""

    checkout: Checkout
    folder: Path
    """Holds logs and copies of the checkout."""
    rng: random.Random = field(default_factory=random.Random)
    build_dir: str = BUILD
    configured: dict[str, str] = field(default_factory=dict)
    """The key of the settings that each build directory was configured with."""
    build_dirs: set[str] = field(default_factory=set)
    """All build directories used so far."""
    after_build: Callable[[], None] = lambda: None
    on_mistake: Callable[[Path], None] = lambda path: None
    """Called with a source that contained a mistake during a failed build."""
    notes: list[str] = field(default_factory=list)
    """Actions of the current step, shown if it fails."""

    @property
    def root(self) -> Path:
        return self.checkout.root

    @property
    def build_path(self) -> Path:
        return self.root / self.build_dir

    def number(self) -> int:
        """Return a number that almost certainly no earlier edit used."""
        return self.rng.randrange(10**6, 10**7)

    def pick(self, pattern: str) -> Path:
        """Choose one of the checkout's files that match."""
        found = sorted(self.root.glob(pattern))
        path = self.rng.choice(found)
        self.note(path)
        return path

    def note(self, what: object) -> None:
        path = Path(str(what))
        inside = path.is_absolute() and path.is_relative_to(self.root)
        self.notes.append(str(path.relative_to(self.root) if inside else what))

    def methods(self, allowed: tuple[BuildMethod, ...] = tuple(BuildMethod)) -> list[BuildMethod]:
        """Return the commands that respect the current settings; Ninja keeps the configured ones."""
        configured = self.configured.get(self.build_dir) == self.checkout.settings.key()
        return [method for method in allowed if method is not BuildMethod.NINJA or configured]

    def choose_method(self, allowed: tuple[BuildMethod, ...] = tuple(BuildMethod)) -> BuildMethod:
        weights = {
            BuildMethod.DEVELOP: 5,
            BuildMethod.NINJA: 3,
            BuildMethod.CODEGEN: 2,
            BuildMethod.PIP: 1,
        }
        methods = self.methods(allowed)
        return self.rng.choices(methods, [weights[method] for method in methods])[0]

    def build(
        self, method: BuildMethod, as_arguments: bool = False, *, fails: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Build, and remember the settings that a front end configured."""
        self.note(method.value)
        self.build_dirs.add(self.build_dir)
        result = self.checkout.build(method, self.build_dir, as_arguments)
        self.after_build()
        if result.returncode == 0 and method in FRONT_END:
            self.configured[self.build_dir] = self.checkout.settings.key()
        if fails:
            assert result.returncode, f"{method.value} accepted a mistake:\n{result.stdout}"
        return result

    def interrupt(
        self, method: BuildMethod, act: Callable[[subprocess.Popen[bytes]], None]
    ) -> None:
        """Start a build and call `act` while it runs."""
        started = self.checkout.start(method, self.build_dir, self.folder / "interrupted.log")
        moment = self.rng.uniform(0.0, 1.2)
        self.note(f"{method.value}, after {moment:.2f} s")
        time.sleep(moment)
        act(started)
        started.wait()
        output = (self.folder / "interrupted.log").read_text("utf-8", "replace")
        assert "Traceback" not in output, output


Apply = Callable[[Workspace], Limits]


def always(workspace: Workspace) -> bool:
    return True


@dataclass(frozen=True)
class Edit:
    """A kind of edit: one row of the table in docs/reliability.md."""

    name: str
    apply: Apply
    possible: Callable[[Workspace], bool] = always


def insert_line(workspace: Workspace, path: Path, line: str, *, before: str = "") -> None:
    """Insert a line at a random place, in front of a line that starts with `before`."""
    lines = path.read_text(encoding="utf-8").splitlines(True)
    places = [i for i, text in enumerate(lines) if text.startswith(before)]
    places += [] if before else [len(lines)]
    lines.insert(workspace.rng.choice(places), line)
    path.write_text("".join(lines), encoding="utf-8")
    workspace.note(f"{path.name}: {line.strip() or 'blank line'}")


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
