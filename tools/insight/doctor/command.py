"""`setup.py doctor`: choose and run all checks, and print the findings."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tools.base.console import display_of
from tools.base.errors import BuildError, did_you_mean, environment_error, usage_error
from tools.setup_helpers.env.foreign import without_effect
from tools.setup_helpers.env.request import (
    BUILD_DIRECTORY,
    Request,
    attempt_options,
    build_directory,
)
from tools.setup_helpers.table.config import Config

from . import run_checks
from .build_tree import LinkInputs, NinjaOnPath, Objects, Place, Tools
from .capacity import Disk, Jobs, Memory, Writable
from .check import (
    Check,
    Finding,
    Machine,
    RequirementCheck,
    Status,
    problem,
    requirement_checks,
    warning,
)
from .compilers import Compiles, SameCompilers
from .container import IN_CONTAINER, ON_HOST, container_checks
from .environment import CompilerFlags, Paths, Variables
from .package import Libraries, Owner, Registered
from .remote import CacheServer, RemoteWorkers
from .rendering import render, render_json, render_markdown
from .sources import Sources, Submodules

_WEIGHTY = (Status.WARNING, Status.PROBLEM)
CHECKS: tuple[Check, ...] = (
    Paths(),
    Sources(),
    Submodules(),
    CompilerFlags(),
    Compiles(),
    SameCompilers(),
    Writable(),
    Disk(),
    Memory(),
    Jobs(),
    Place(),
    Tools(),
    NinjaOnPath(),
    RemoteWorkers(),
    CacheServer(),
    Objects(),
    LinkInputs(),
    Libraries(),
    Owner(),
    Registered(),
    Variables(),
)


class OptionsCanBeMet(Check):
    """Check the options that the environment and the command line request."""

    id = "options"
    looks_at = "the options from the environment and the command line"
    consequence = "no command that builds will start"

    def __init__(
        self, errors: Sequence[BuildError] = (), without_effect: Sequence[str] = ()
    ) -> None:
        self._errors = errors
        self._without_effect = without_effect

    def examine(self, machine: Machine) -> Finding:
        if not self._errors and self._without_effect:
            names = " ".join(sentence.partition("=")[0] for sentence in self._without_effect)
            return warning(
                "; ".join(self._without_effect),
                f"unset {names}",
                "the build is the same without them",
            )
        if not self._errors:
            explicit = [r for r in machine.options.resolved if r.explicit]
            named = ", ".join(f"{r.option.name}={r.text}" for r in explicit)
            return Finding(Status.OK, named or "all default")
        hints = dict.fromkeys(error.hint for error in self._errors)
        return problem("; ".join(map(_sentence, self._errors)), "; ".join(filter(None, hints)))


def _sentence(error: BuildError) -> str:
    details = ", ".join(line.strip() for line in error.cause.splitlines())
    return f"{error.message} ({details})" if details else error.message


def run(config: Config, request: Request, parsed: argparse.Namespace) -> int:
    """Print the findings; problems lead to exit code 3."""
    known = [*ON_HOST, *IN_CONTAINER] if parsed.container else list_checks(config)
    if parsed.markdown:
        print(render_markdown(known))
        return 0
    _refuse_unknown(parsed.checks, [check.id for check in known])
    resolution = attempt_options(config, request)
    options, errors = resolution.options, [refusal.error for refusal in resolution.refusals]
    try:
        build_dir = build_directory(config, options)
    except BuildError as error:
        build_dir = config.root / BUILD_DIRECTORY
        errors.append(error)
    machine = Machine(config, options, request.programs, build_dir, before_installation=True)
    given = [*request.environ.items(), *request.settings]
    checks: Sequence[Check]
    if parsed.container:
        checks = container_checks()
    else:
        options_check = OptionsCanBeMet(errors, without_effect(config, given))
        checks = [options_check, *requirement_checks(machine), *CHECKS]
    results = run_checks(machine, [c for c in checks if not parsed.checks or c.id in parsed.checks])
    shown = results if not parsed.quiet else [e for e in results if e.status in _WEIGHTY]
    if parsed.json:
        print(render_json(shown))
    elif shown:
        print(render(shown, display_of(sys.stdout, os.environ)))
    problems = [e.check.id for e in results if e.status is Status.PROBLEM]
    if problems:
        raise environment_error(f"problems found: {', '.join(problems)}")
    return 0


def list_checks(config: Config) -> list[Check]:
    """Return all checks regardless of the options."""
    return [OptionsCanBeMet(), *map(RequirementCheck, config.checks), *CHECKS]


def _refuse_unknown(asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            raise usage_error(
                f"there is no check {name!r}{did_you_mean(name, known, 3)}",
                cause=f"the checks are {', '.join(known)}",
            )
