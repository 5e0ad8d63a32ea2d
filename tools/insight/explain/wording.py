"""Describe changed inputs and amounts of work, for all explanations of a rebuild."""

from __future__ import annotations

from collections.abc import Sequence

from tools.setup_helpers.state.inputs import Change, ChangedInput

from .moments import since
from .outlook import Outlook


def what_changed(change: ChangedInput, now: float) -> str:
    """Describe a change as `edited 21:03:12, 3 minutes ago: +12 bytes`."""
    before, after = change.sizes
    match change.change:
        case Change.TOUCHED:
            return f"touched {since(change.time, now)}: same contents"
        case Change.EDITED:
            size = f": {after - before:+,} bytes" if after != before else ": same size"
            return f"edited {since(change.time, now)}{size}"
        case Change.ADDED:
            return f"added {since(change.time, now)}"
        case Change.REMOVED:
            return "removed"


def work(outlook: Outlook, commands: Sequence[str]) -> str:
    """Describe the number of commands and the time that they took when they last ran."""
    number, known = len(commands), sum(output in outlook.made for output in commands)
    text = "1 command" if number == 1 else f"{number} commands"
    if not known:
        return f"{text}, {'which has not' if number == 1 else 'none of which has'} run yet"
    taken = f"took {seconds(outlook, commands):.1f} s of work"
    if known < number:
        return f"{text}: the {known} that ran before {taken}"
    return f"{text}, which {taken} when {'it' if number == 1 else 'they'} last ran"


def seconds(outlook: Outlook, commands: Sequence[str]) -> float:
    """Return the seconds that the commands took when they last ran, according to Ninja's log."""
    known = (outlook.made.get(output) for output in commands)
    return sum(entry.seconds for entry in known if entry)
