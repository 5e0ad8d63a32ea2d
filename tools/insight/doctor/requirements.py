"""The checks that the project's table defines, each performed by a probe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tools.setup_helpers.probes import run_probe
from tools.setup_helpers.table.config import Requirement, Weight

from .check import Check, Finding, Machine, Status, ok, skipped

_INSTALLED_LATER = "`setup.py develop` and the other build commands install it with pip first"


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
