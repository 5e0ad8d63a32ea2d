"""Check the machine and the tree: quickly before each build, completely with `setup.py doctor`.

Each check is a small class. Checks that concern one project only are rows of its table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from tools.base.background import run_all
from tools.base.errors import environment_error
from tools.base.programs import Unanswered

from .build_tree import Tools
from .capacity import Disk, Jobs, Memory, Writable
from .check import Check, CheckResult, Finding, Machine, Status, problem, requirement_checks
from .environment import CompilerFlags, Paths
from .sources import Sources, Submodules

# The checks of `CHECKS` that run before every build, after the table's own checks.
QUICK_CHECKS: tuple[Check, ...] = (
    Paths(),
    Sources(),
    Submodules(),
    CompilerFlags(),
    Writable(),
    Disk(),
    Memory(),
    Jobs(),
    Tools(),
)


def run_checks(machine: Machine, checks: Sequence[Check]) -> list[CheckResult]:
    """Run the checks; those that have to start programs run in parallel, since they take the time."""
    examinations = [partial(_finding, each, machine) for each in checks]
    findings: dict[int, Finding] = {}
    for index, run_check in enumerate(examinations):
        with machine.programs.from_memory(), suppress(Unanswered):
            findings[index] = run_check()
    missing = [index for index in range(len(examinations)) if index not in findings]
    found = run_all([examinations[index] for index in missing], machine.programs.stop)
    findings.update(zip(missing, found, strict=True))
    return [CheckResult(check, findings[index]) for index, check in enumerate(checks)]


def _finding(check: Check, machine: Machine) -> Finding:
    try:
        return check.examine(machine)
    except OSError as error:  # an unreadable folder, or a program for another architecture
        return problem(f"{error.strerror}: {error.filename}")


def run_quick_checks(machine: Machine) -> list[CheckResult]:
    """Run the quick checks and return those that found warnings.

    Raises:
        BuildError: There are problems; the error (exit code 3) lists all of them.
    """
    required = [check for check in requirement_checks(machine) if check.quick]
    results = run_checks(machine, [*required, *QUICK_CHECKS])
    if problems := [e for e in results if e.status is Status.PROBLEM]:
        raise environment_error(
            f"the build cannot start: {', '.join(e.check.id for e in problems)}",
            cause="\n".join(_lines(problems)),
            hint="run `python setup.py doctor` to see all checks",
        )
    return [e for e in results if e.status is Status.WARNING]


def _lines(problems: Sequence[CheckResult]) -> Iterator[str]:
    for each in problems:
        yield f"{each.check.id}: {each.finding.text}"
        yield from (f"  looked: {place}" for place in each.finding.looked)
        if each.finding.remedy:
            yield f"  {each.finding.remedy}"
