"""The interface of a check, what it can find, and the checks that are rows of the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from tools.setup_helpers.cmake.toolchain import BUILD, Machine
from tools.setup_helpers.probes import run_probe
from tools.setup_helpers.table.config import Requirement, Weight

__all__ = ["BUILD", "Machine"]
_INSTALLED_LATER = "`setup.py develop` and the other build commands install it with pip first"


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


class RequirementCheck(Check):
    """The check of one `[[check]]` row."""

    def __init__(self, row: Requirement) -> None:
        self._row = row
        self.id = row.id
        self.looks_at = row.looks_at or row.name
        self.consequence = row.consequence
        self.quick = row.weight is Weight.PROBLEM

    def examine(self, machine: Machine) -> Finding:
        result = run_probe(self._row.probe, machine.context, self._row.arguments)
        if not result.applies:
            return skipped(result.reason)
        if result.found:
            return ok(result.reason)
        remedy = result.remedy or self._row.remedy
        finding = Finding(Status(self._row.weight.value), result.reason, remedy, result.looked)
        if self._row.pip and machine.before_installation:
            return replace(finding, status=Status.WARNING, consequence=_INSTALLED_LATER)
        return finding


def requirement_checks(machine: Machine) -> Iterator[Check]:
    """Yield the checks whose condition holds with the current options."""
    return (RequirementCheck(row) for row in machine.config.checks if machine.meets(row.when))
