"""What the machine and the tree must offer: looked at before any work, and in full by `setup.py doctor`.

Each check is a small class; those that concern one project only are rows of its table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from ..beside import at_once
from ..errors import environment_error
from .build_tree import Tools
from .capacity import Disk, Jobs, Memory, Writable
from .check import Check, Examined, Finding, Machine, Status, problem
from .flags import CompilerFlags
from .paths import Paths
from .requirements import requirement_checks
from .sources import Sources, Submodules

# Those of `CHECKS` that are asked before every build, after what the table asks.
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


def examine(machine: Machine, checks: Iterable[Check]) -> list[Examined]:
    """All at once, since most of the time goes to programs that are asked."""
    checks = list(checks)
    findings = at_once([partial(_finding, each, machine) for each in checks], machine.programs.stop)
    return [Examined(check, finding) for check, finding in zip(checks, findings, strict=True)]


def _finding(check: Check, machine: Machine) -> Finding:
    try:
        return check.examine(machine)
    except OSError as error:  # a folder that cannot be read, a program for another machine
        return problem(f"{error.strerror}: {error.filename}")


def require(machine: Machine) -> list[Examined]:
    """The quick checks. Raises BuildError (exit code 3) that lists every problem; returns the warnings."""
    asked = [check for check in requirement_checks(machine) if check.quick]
    examined = examine(machine, [*asked, *QUICK_CHECKS])
    if problems := [e for e in examined if e.status is Status.PROBLEM]:
        raise environment_error(
            f"the build cannot begin: {', '.join(e.check.id for e in problems)}",
            cause="\n".join(_lines(problems)),
            hint="`python setup.py doctor` shows all checks",
        )
    return [e for e in examined if e.status is Status.WARNING]


def _lines(problems: Sequence[Examined]) -> Iterator[str]:
    for each in problems:
        yield f"{each.check.id}: {each.finding.text}"
        yield from (f"  looked: {place}" for place in each.finding.looked)
        if each.finding.remedy:
            yield f"  {each.finding.remedy}"
