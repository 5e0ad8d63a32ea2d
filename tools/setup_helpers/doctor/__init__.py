"""What the machine and the tree must offer: looked at before any work, and in full by `setup.py doctor`.

Each check is a small class; those that concern one project only are rows of its table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from ..beside import at_once
from ..errors import environment_error
from ..programs import Unanswered
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


def examine(machine: Machine, checks: Sequence[Check]) -> list[Examined]:
    """Those that have to ask programs all at once: there the time goes."""
    looks = [partial(_finding, each, machine) for each in checks]
    findings: dict[int, Finding] = {}
    for place, look in enumerate(looks):
        with machine.programs.from_memory(), suppress(Unanswered):
            findings[place] = look()
    asking = [place for place in range(len(looks)) if place not in findings]
    asked = at_once([looks[place] for place in asking], machine.programs.stop)
    findings.update(zip(asking, asked, strict=True))
    return [Examined(check, findings[place]) for place, check in enumerate(checks)]


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
