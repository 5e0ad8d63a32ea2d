"""`setup.py doctor`: every check, also when the options themselves cannot be met."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ..errors import BuildError, environment_error, usage_error
from ..request import BUILD_DIRECTORY, Request, attempt_options, build_directory
from ..suggest import did_you_mean
from ..table.config import Config
from ..terminal.stream import display_of
from . import examine
from .check import Check, Finding, Machine, Status, problem
from .checks import CHECKS
from .rendering import render, render_json, render_markdown
from .requirements import RequirementCheck, requirement_checks

_WEIGHTY = (Status.WARNING, Status.PROBLEM)


class OptionsCanBeMet(Check):
    """The options as this shell and this command ask for them."""

    id = "options"
    looks_at = "the options from the environment and the command line"
    consequence = "every command that builds refuses to begin"

    def __init__(self, errors: Sequence[BuildError] = ()) -> None:
        self._errors = errors

    def examine(self, machine: Machine) -> Finding:
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
    """Prints the findings; a problem ends with exit code 3."""
    if parsed.markdown:
        print(render_markdown(_all_checks(config)))
        return 0
    _refuse_unknown(parsed.checks, [check.id for check in _all_checks(config)])
    resolution = attempt_options(config, request)
    options, errors = resolution.options, [refusal.error for refusal in resolution.refusals]
    try:
        build_dir = build_directory(config, options)
    except BuildError as error:
        build_dir = config.root / BUILD_DIRECTORY
        errors.append(error)
    machine = Machine(config, options, request.programs, build_dir, before_installation=True)
    checks = [OptionsCanBeMet(errors), *requirement_checks(machine), *CHECKS]
    examined = examine(machine, [c for c in checks if not parsed.checks or c.id in parsed.checks])
    shown = examined if not parsed.quiet else [e for e in examined if e.status in _WEIGHTY]
    if parsed.json:
        print(render_json(shown))
    elif shown:
        print(render(shown, display_of(sys.stdout, os.environ)))
    problems = [e.check.id for e in examined if e.status is Status.PROBLEM]
    if problems:
        raise environment_error(f"problems found: {', '.join(problems)}")
    return 0


def _all_checks(config: Config) -> list[Check]:
    """Whatever the options are."""
    return [OptionsCanBeMet(), *map(RequirementCheck, config.checks), *CHECKS]


def _refuse_unknown(asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            raise usage_error(
                f"no check {name!r}{did_you_mean(name, known, 3)}",
                cause=f"there are {', '.join(known)}",
            )
