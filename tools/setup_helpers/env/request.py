"""A request to the pipeline, and the options and build directory that follow from it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tools.base.errors import usage_error
from tools.base.programs import Programs

from ..probes import run_probe
from ..state.folders import is_build_directory
from ..table.config import Config
from .options import (
    OptionRequest,
    Options,
    Origin,
    known_requests,
    misspelt_variables,
    names_of,
    unknown_settings,
)
from .refusals import Refusal
from .resolver import Prober, Resolution, attempt

# The build directory, unless an option names another.
BUILD_DIRECTORY = "build"

# The target of the build graph that builds everything the package needs.
PACKAGE = ("package",)
# The target that builds only what a library wheel needs.
LIBRARIES = ("package_library",)


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
    """The choices of the caller; everything else comes from the table and the environment."""

    root: Path
    programs: Programs
    settings: Sequence[tuple[str, str]] = ()
    origin: Origin = Origin.COMMAND_LINE
    goal: Goal = Goal.STAGE
    force_codegen: bool = False
    everything: bool = False
    wait: bool = False
    """Whether to wait for another build in the same directory."""
    arguments: Sequence[str] = ()
    """The command's arguments, by which a later `develop` recognises that it is the same."""

    @property
    def environ(self) -> Mapping[str, str]:
        return self.programs.environ


def targets_of(goal: Goal, options: Options) -> tuple[str, ...]:
    """Return the targets of the build graph that a goal needs under the options."""
    only_libraries = goal is Goal.PACKAGE and options.role_on("library_wheel")
    return LIBRARIES if only_libraries else PACKAGE


def programs_of(
    config: Config,
    environ: Mapping[str, str],
    settings: Sequence[tuple[str, str]] = (),
    origin: Origin = Origin.COMMAND_LINE,
) -> Programs:
    """Return Programs with the answers cached in the requested build directory."""
    option, names = config.option_for("build_dir"), names_of(config)
    place = option.default if option else ""
    for requested in _option_requests(config, environ, settings, origin):
        if option and names[requested.name] == option.name:
            place = requested.text
    return Programs.as_last_built(environ, _folder(config, place), names)


def resolve_options(config: Config, request: Request) -> Options:
    """Resolve options from the environment, then the caller's. Raise BuildError with every mistake."""
    resolution = attempt_options(config, request)
    if resolution.error:
        raise resolution.error
    return resolution.options


def attempt_options(config: Config, request: Request, prober: Prober = run_probe) -> Resolution:
    """Resolve options like resolve_options, but return refused requests instead of raising."""
    environ, settings, origin = request.environ, request.settings, request.origin
    requests = _option_requests(config, environ, settings, origin)
    resolution = attempt(config, requests, request.programs, sys.executable, prober)
    unknown = (misspelt_variables(config, environ), unknown_settings(config, settings, origin))
    refusals = [Refusal("", error) for error in unknown if error]
    return Resolution(resolution.options, (*refusals, *resolution.refusals))


def _option_requests(
    config: Config, environ: Mapping[str, str], settings: Sequence[tuple[str, str]], origin: Origin
) -> list[OptionRequest]:
    requests = known_requests(config, environ.items(), Origin.ENVIRONMENT)
    return requests + known_requests(config, settings, origin)


def _folder(config: Config, build_dir: str) -> Path:
    """Return the folder; a leading `~` is the home folder, since no shell expands it after `-D`."""
    place = os.path.expanduser(build_dir or BUILD_DIRECTORY)
    return Path(os.path.abspath(config.root / place))


def build_directory(config: Config, options: Options) -> Path:
    """Return the build directory. Raise BuildError if it holds files that no build made."""
    place = options.role("build_dir")
    if place.startswith("~") and os.path.expanduser(place) == place:
        raise usage_error(
            f"the build directory {place} is in the home folder of an unknown user",
            hint="write ./ before a folder whose name begins with ~",
        )
    build_dir = _folder(config, place)
    if build_dir == config.root or build_dir in config.root.parents:
        raise usage_error(f"the build directory {build_dir} would contain the sources")
    if build_dir.exists() and not build_dir.is_dir():
        raise usage_error(f"the build directory {build_dir} is a file")
    foreign = build_dir.exists() and not is_build_directory(build_dir)
    if foreign and any(build_dir.iterdir()):
        raise usage_error(
            f"{build_dir} holds files that no build made",
            hint="choose an empty or new folder as the build directory",
        )
    return build_dir
