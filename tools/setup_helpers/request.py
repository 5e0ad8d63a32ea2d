"""What a caller asks of the pipeline, and what follows from it before any work: options and place."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from .errors import usage_error
from .table.config import Config
from .table.option_resolver import resolve
from .table.options import Options, Origin, environment_requests, explicit_requests

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
    environ: Mapping[str, str]
    settings: Sequence[tuple[str, str]] = ()
    origin: Origin = Origin.COMMAND_LINE
    goal: Goal = Goal.STAGE
    force_codegen: bool = False
    profile_files: int = 0
    """How many files to compile once more for the profile; 0 for no profile."""
    everything: bool = False


def resolve_options(config: Config, request: Request) -> Options:
    """Environment first, then what the caller gave."""
    requests = environment_requests(config, request.environ)
    requests += explicit_requests(config, request.settings, request.origin)
    return resolve(config, requests, request.environ, sys.executable)


def build_directory(config: Config, options: Options) -> Path:
    """The output root; refuses a folder that holds anything a build did not make."""
    build_dir = Path(os.path.abspath(config.root / (options.role("build_dir") or "build")))
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
