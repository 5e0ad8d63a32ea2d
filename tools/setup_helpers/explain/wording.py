"""Changes of inputs and amounts of work, as every explanation of a rebuild says them."""

from __future__ import annotations

from collections.abc import Sequence

from ..reporting.inputs import Change, ChangedInput
from .moments import since
from .outlook import Outlook


def what_changed(change: ChangedInput, now: float) -> str:
    """`edited 21:03:12, 3 minutes ago: +12 bytes`."""
    before, after = change.sizes
    match change.change:
        case Change.TOUCHED:
            return f"touched {since(change.time, now)}: the same bytes"
        case Change.EDITED:
            size = f": {after - before:+,} bytes" if after != before else ": the same size"
            return f"edited {since(change.time, now)}{size}"
        case Change.ADDED:
            return f"added {since(change.time, now)}"
        case Change.REMOVED:
            return "removed"


def work(outlook: Outlook, commands: Sequence[str]) -> str:
    """How many commands, and what they cost."""
    number = len(commands)
    said = "1 command, which took" if number == 1 else f"{number} commands, which took"
    last = "it ran last" if number == 1 else "they ran last"
    return f"{said} {seconds(outlook, commands):.1f} s of work when {last}"


def seconds(outlook: Outlook, commands: Sequence[str]) -> float:
    """What the commands took when they ran last, as far as Ninja's log knows them."""
    known = (outlook.made.get(output) for output in commands)
    return sum(entry.seconds for entry in known if entry)
