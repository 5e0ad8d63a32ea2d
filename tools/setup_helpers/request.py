"""What a caller asks of the pipeline, and what follows from it before any work: options and place."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from .errors import usage_error
from .programs import Programs
from .table.config import Config
from .table.option_resolver import Resolution, attempt
from .table.options import (
    Options,
    Origin,
    known_requests,
    misspelt_variables,
    names_of,
    unknown_settings,
)
from .table.options import Request as Wish
from .table.refusals import Refusal

# The output root, unless an option names another.
BUILD_DIRECTORY = "build"

# The target of the build graph with everything that the package needs.
PACKAGE = ("package",)


class Goal(Enum):
    """How far the pipeline goes."""

    GENERATE = "generate"
    BUILD = "build"
    PACKAGE = "package"
    STAGE = "stage"
    REGISTER = "register"

    @property
    def stages(self) -> bool:
        return self in (Goal.STAGE, Goal.REGISTER)


@dataclass(frozen=True)
class Request:
    """What the caller wants; everything else comes from the table and the environment."""

    root: Path
    programs: Programs
    settings: Sequence[tuple[str, str]] = ()
    origin: Origin = Origin.COMMAND_LINE
    goal: Goal = Goal.STAGE
    force_codegen: bool = False
    profile_files: int = 0
    """How many files to compile once more for the profile; 0 for no profile."""
    everything: bool = False

    @property
    def environ(self) -> Mapping[str, str]:
        return self.programs.environ


def programs_of(
    config: Config,
    environ: Mapping[str, str],
    settings: Sequence[tuple[str, str]] = (),
    origin: Origin = Origin.COMMAND_LINE,
) -> Programs:
    """With what the last build was told, in the directory that is asked for."""
    option, names = config.option_for("build_dir"), names_of(config)
    place = option.default if option else ""
    for wish in _wishes(config, environ, settings, origin):
        if option and names[wish.name] == option.name:
            place = wish.text
    return Programs.as_last_built(environ, _folder(config, place), names)


def resolve_options(config: Config, request: Request) -> Options:
    """Environment first, then what the caller gave. Raises BuildError with every mistake."""
    resolution = attempt_options(config, request)
    if resolution.error:
        raise resolution.error
    return resolution.options


def attempt_options(config: Config, request: Request) -> Resolution:
    """As resolve_options, for commands that have something to say also when a wish is refused."""
    environ, settings, origin = request.environ, request.settings, request.origin
    wishes = _wishes(config, environ, settings, origin)
    resolution = attempt(config, wishes, request.programs, sys.executable)
    unknown = (misspelt_variables(config, environ), unknown_settings(config, settings, origin))
    refusals = [Refusal("", error) for error in unknown if error]
    return Resolution(resolution.options, (*refusals, *resolution.refusals))


def _wishes(
    config: Config, environ: Mapping[str, str], settings: Sequence[tuple[str, str]], origin: Origin
) -> list[Wish]:
    wishes = known_requests(config, environ.items(), Origin.ENVIRONMENT)
    return wishes + known_requests(config, settings, origin)


def _folder(config: Config, build_dir: str) -> Path:
    return Path(os.path.abspath(config.root / (build_dir or BUILD_DIRECTORY)))


def build_directory(config: Config, options: Options) -> Path:
    """The output root; refuses a folder that holds anything a build did not make."""
    build_dir = _folder(config, options.role("build_dir"))
    if build_dir == config.root or build_dir in config.root.parents:
        raise usage_error(f"the build directory {build_dir} would contain the sources")
    if build_dir.exists() and not build_dir.is_dir():
        raise usage_error(f"the build directory {build_dir} is a file")
    marks = ("options.json", "CMakeCache.txt", "build.lock", "codegen.json")
    strange = build_dir.exists() and not any((build_dir / mark).exists() for mark in marks)
    if strange and any(build_dir.iterdir()):
        raise usage_error(
            f"{build_dir} holds files that no build made",
            hint="name an empty or a new folder as the build directory",
        )
    return build_dir
