"""`setup.py doctor`: every check, also when the options themselves cannot be met."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ..errors import BuildError, environment_error, usage_error
from ..request import Request, build_directory, resolve_options
from ..suggest import did_you_mean
from ..table.config import Config
from ..table.option_resolver import resolve
from ..table.options import Options
from ..terminal.stream import display_of
from . import CHECKS, examine
from .check import Check, Finding, Machine, Status, problem
from .rendering import render, render_json, render_markdown
from .requirements import RequirementCheck, requirement_checks

_WEIGHTY = (Status.WARNING, Status.PROBLEM)


class OptionsCanBeMet(Check):
    """The options as this shell and this command ask for them."""

    id = "options"
    looks_at = "the options from the environment and the command line"
    consequence = "every command that builds refuses to begin"

    def __init__(self, error: BuildError | None) -> None:
        self._error = error

    def examine(self, machine: Machine) -> Finding:
        if self._error is None:
            explicit = [r for r in machine.options.resolved if r.explicit]
            named = ", ".join(f"{r.option.name}={r.text}" for r in explicit)
            return Finding(Status.OK, named or "all default")
        details = "; ".join(line.strip() for line in self._error.cause.splitlines())
        text = f"{self._error.message}: {details}" if details else self._error.message
        return problem(text, self._error.hint or "python setup.py options")


def run(config: Config, request: Request, parsed: argparse.Namespace) -> int:
    """Prints the findings; a problem ends with exit code 3."""
    if parsed.markdown:
        print(render_markdown(_all_checks(config)))
        return 0
    _refuse_unknown(parsed.checks, [check.id for check in _all_checks(config)])
    options, check = _options(config, request)
    build_dir = build_directory(config, options)
    machine = Machine(config, options, request.environ, build_dir, before_installation=True)
    checks = [check, *requirement_checks(machine), *CHECKS]
    examined = examine(machine, [c for c in checks if not parsed.checks or c.id in parsed.checks])
    shown = examined if not parsed.quiet else [e for e in examined if e.status in _WEIGHTY]
    print(render_json(shown) if parsed.json else render(shown, display_of(sys.stdout, os.environ)))
    problems = [e.check.id for e in examined if e.status is Status.PROBLEM]
    if problems:
        raise environment_error(f"problems found: {', '.join(problems)}")
    return 0


def _all_checks(config: Config) -> list[Check]:
    """Whatever the options are."""
    return [OptionsCanBeMet(None), *map(RequirementCheck, config.checks), *CHECKS]


def _refuse_unknown(asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            raise usage_error(
                f"no check {name!r}{did_you_mean(name, known, 3)}",
                cause=f"there are {', '.join(known)}",
            )


def _options(config: Config, request: Request) -> tuple[Options, OptionsCanBeMet]:
    """What was asked for; where that cannot be met, the defaults and the reason."""
    try:
        return resolve_options(config, request), OptionsCanBeMet(None)
    except BuildError as error:
        defaults = resolve(config, (), request.environ, sys.executable)
        return defaults, OptionsCanBeMet(error)
