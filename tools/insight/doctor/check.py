"""The interface of a check: what it may look at, and what it can find."""

from __future__ import annotations

import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

from tools.base.programs import Programs
from tools.setup_helpers.cmake.configure import compiler_commands, identify_compilers
from tools.setup_helpers.env.options import Options
from tools.setup_helpers.probes import ProbeContext
from tools.setup_helpers.table.config import Config
from tools.setup_helpers.table.predicates import Predicate, evaluate

BUILD = "python setup.py develop"


class Status(Enum):
    """How serious a finding is; with a PROBLEM, the build or the resulting package cannot work."""

    OK = "ok"
    SKIPPED = "skipped"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """The result of one check. `remedy` is the command that fixes it, or advice if there is none."""

    status: Status
    text: str
    remedy: str = ""
    looked: tuple[str, ...] = ()
    """The places that were searched, when the finding is that something is missing."""
    consequence: str = ""
    """What follows from this finding, if it differs from the check's own `consequence`."""


def ok(text: str) -> Finding:
    """Return a finding that everything is in order."""
    return Finding(Status.OK, text)


def skipped(reason: str) -> Finding:
    """Return a finding that there is nothing to check."""
    return Finding(Status.SKIPPED, reason)


def warning(text: str, remedy: str = "", consequence: str = "") -> Finding:
    """Return a finding that does not prevent the build."""
    return Finding(Status.WARNING, text, remedy, consequence=consequence)


def problem(text: str, remedy: str = "", consequence: str = "") -> Finding:
    """Return a finding with which the build or the package cannot work."""
    return Finding(Status.PROBLEM, text, remedy, consequence=consequence)


def either(*remedies: str) -> str:
    """Join the remedies that are not empty."""
    return ", or ".join(filter(None, remedies))


@dataclass(frozen=True)
class Machine:
    """The inputs of a check: the table, the options, the environment, and through them the disk."""

    config: Config
    options: Options
    programs: Programs
    build_dir: Path
    before_installation: bool = False
    """Whether requirements that pip can install are still to be installed."""

    @property
    def environ(self) -> Mapping[str, str]:
        return self.programs.environ

    @property
    def root(self) -> Path:
        return self.config.root

    def flags(self, role: str) -> tuple[str, ...]:
        """Return the flags that an option adds to every compilation or link."""
        return tuple(shlex.split(self.options.role(role)))

    def meets(self, condition: Predicate | None) -> bool:
        """Return whether a row of the table applies; a row without a condition always does."""
        return condition is None or evaluate(condition, self.options.values_and_facts())

    def with_option(self, role: str, value: str) -> str:
        """Return the command that builds with an option set; empty when no option has that role."""
        option = self.config.option_for(role)
        return f"{option.name}={value} {BUILD}" if option else ""

    @property
    def context(self) -> ProbeContext:
        return ProbeContext(self.root, self.programs, sys.executable, dict(self.options))

    @cached_property
    def compilers(self) -> Mapping[str, list[str]]:
        """Role (`c_compiler`, `cxx_compiler`) -> command; a language without a compiler is absent."""
        return compiler_commands(self.config, self.options, self.programs)

    @cached_property
    def compiler_identities(self) -> Mapping[str, str]:
        """Like `compilers`, with a digest of the version in the text."""
        return identify_compilers(self.compilers, self.programs)


class Check(ABC):
    """One check of the machine or the tree."""

    id: str
    looks_at: str
    consequence: str
    """What happens when a user builds despite the finding."""
    quick = False
    """Whether the check is cheap and useful enough to run before every build."""

    @abstractmethod
    def examine(self, machine: Machine) -> Finding:
        """Run the check. The only exception may be OSError, which counts as a problem."""


@dataclass(frozen=True)
class CheckResult:
    """A check and its finding."""

    check: Check
    finding: Finding

    @property
    def status(self) -> Status:
        return self.finding.status

    @property
    def consequence(self) -> str:
        """What follows from the finding; empty for OK and SKIPPED."""
        if self.status in (Status.OK, Status.SKIPPED):
            return ""
        return self.finding.consequence or self.check.consequence
