"""What the core tells those who watch it. It knows them only as the receiver of these events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .ninja.failures import Diagnostician
from .ninja.run import Built, HitRate, Progress

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry

    from .cmake.toolchain import Machine
    from .env.options import Options
    from .generation.stages import StageResult
    from .ninja.compiler_cache import Counters
    from .ninja.reasons import Reason
    from .state.inputs import LastBuild
    from .table.config import Config


@dataclass
class Outcome:
    """The results of the steps of one run; a failed run has those of its first steps only."""

    inputs: Mapping[str, Entry]
    stages: Sequence[StageResult] = ()
    configured: str = ""
    """Why CMake ran; empty when it did not."""
    ninja: str = ""
    targets: Sequence[str] = ()
    reasons: Mapping[str, Reason] = field(default_factory=dict)
    """Output -> why Ninja had to build it."""
    jobs: int = 1
    """The maximum number of parallel commands."""
    made: Mapping[str, Entry] = field(default_factory=dict)
    """Absolute path -> entry of each file of the package and of its copy in the source tree."""
    built: Built = field(default_factory=lambda: Built(()))
    cache: Counters | None = None
    failure: Mapping[str, Any] | None = None
    """The facts of the error that ended the run."""


@dataclass(frozen=True)
class BuildStarts:
    """Ninja is about to run `steps`, given by its own descriptions."""

    config: Config
    build_dir: Path
    steps: Collection[str]
    jobs: int
    hit_rate: HitRate


@dataclass(frozen=True)
class RunEnded:
    """A run ended: `result` is "ok", "failed" or "interrupted"."""

    config: Config
    options: Options
    build_dir: Path
    last: LastBuild
    """The successful build before this one."""
    inputs: Mapping[str, Entry]
    """The inputs when the run started."""
    outcome: Outcome
    result: str


class Step(Protocol):
    """A running step; `note` becomes the text of its line."""

    note: str

    def show_activity(self, doing: str) -> None:
        """Show what the step is doing right now."""


class Receiver(Diagnostician, Protocol):
    """Receives the events of a run, in the order of these methods."""

    @property
    def began(self) -> float:
        """When the front end started, in seconds since 1970; the same in all records of the run."""

    @property
    def seconds(self) -> float:
        """How long ago that was."""

    @property
    def verbose(self) -> bool:
        """Whether to show every command."""

    def step(self, name: str) -> AbstractContextManager[Step]:
        """Begin a step; it ends with the context."""

    def say(self, text: str) -> None:
        """Show a line to the user."""

    def options_resolved(self, options: Options, build_dir: Path) -> None:
        """Compare the options with those of the last build; nothing has changed yet."""

    def examine(self, machine: Machine) -> Sequence[str]:
        """Check the machine before the build. Return warnings; raise BuildError if it cannot succeed."""

    def build_starts(self, event: BuildStarts) -> Progress:
        """Prepare to follow a run of Ninja. Return the receiver of its progress."""

    def package_built(self, root: Path, build_dir: Path, outcome: Outcome) -> None:
        """Look at a build that has everything its goal needs."""

    def run_ended(self, event: RunEnded) -> None:
        """Record a run that ended, whether it succeeded or failed."""

    def finished(self) -> None:
        """Summarise a run that succeeded; its build directory is free again."""
