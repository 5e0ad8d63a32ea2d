"""What a check is, what it may look at, and what it can find."""

from __future__ import annotations

import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

from ..graph.configure import compiler_commands, identify_compilers
from ..probes import ProbeContext
from ..programs import Programs
from ..table.config import Config
from ..table.options import Options
from ..table.predicates import Predicate, evaluate

BUILD = "python setup.py develop"


class Status(Enum):
    """How a finding weighs: with a problem a build, or the package it made, cannot work."""

    OK = "ok"
    SKIPPED = "skipped"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """What one check saw. `remedy` is the command that mends it, or words where no command can."""

    status: Status
    text: str
    remedy: str = ""
    looked: tuple[str, ...] = ()
    """Places, for a finding that something is nowhere."""
    consequence: str = ""
    """What follows from this finding, where it is not what the check says of all its findings."""


def ok(text: str) -> Finding:
    return Finding(Status.OK, text)


def skipped(reason: str) -> Finding:
    """There is nothing to look at."""
    return Finding(Status.SKIPPED, reason)


def warning(text: str, remedy: str = "", consequence: str = "") -> Finding:
    return Finding(Status.WARNING, text, remedy, consequence=consequence)


def problem(text: str, remedy: str = "", consequence: str = "") -> Finding:
    return Finding(Status.PROBLEM, text, remedy, consequence=consequence)


def either(*remedies: str) -> str:
    """Those that there are."""
    return ", or ".join(filter(None, remedies))


@dataclass(frozen=True)
class Machine:
    """What a check may look at: the table, the options, the environment, and through them the disk."""

    config: Config
    options: Options
    programs: Programs
    build_dir: Path
    before_installation: bool = False
    """Whether what pip can bring is still to be installed."""

    @property
    def environ(self) -> Mapping[str, str]:
        return self.programs.environ

    @property
    def root(self) -> Path:
        return self.config.root

    def flags(self, role: str) -> tuple[str, ...]:
        """What an option gives to every compilation or link."""
        return tuple(shlex.split(self.options.role(role)))

    def meets(self, condition: Predicate | None) -> bool:
        """Whether a row of the table applies; one without a condition always does."""
        return condition is None or evaluate(condition, self.options.values_and_facts())

    def with_option(self, role: str, value: str) -> str:
        """The command that builds with an option set; empty when the table has none of that role."""
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
        """As `compilers`, with the version's digest in the text."""
        return identify_compilers(self.compilers, self.programs)


class Check(ABC):
    """One question about the machine or the tree."""

    id: str
    looks_at: str
    consequence: str
    """What a user meets who builds in spite of the finding."""
    quick = False
    """Cheap, and worth asking before every build."""

    @abstractmethod
    def examine(self, machine: Machine) -> Finding:
        """Raises at most OSError, which is a problem too."""


@dataclass(frozen=True)
class Examined:
    """A check and its finding."""

    check: Check
    finding: Finding

    @property
    def status(self) -> Status:
        return self.finding.status

    @property
    def consequence(self) -> str:
        """What follows; empty when all is well."""
        if self.status in (Status.OK, Status.SKIPPED):
            return ""
        return self.finding.consequence or self.check.consequence
