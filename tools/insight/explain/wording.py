"""The words of explanations: changed inputs, amounts of work, points in time, and highlights."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tools.base.console import Highlighter
from tools.setup_helpers.state.inputs import Change, ChangedInput

if TYPE_CHECKING:
    from .outlook import Outlook

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


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


def ago(moment: float, now: float) -> str:
    """Format as `3 minutes ago`; a moment can be in the future if the clock was set back."""
    passed = round(now - moment)
    if passed < 0:
        return "in the future"
    for length, unit in _UNITS:
        if passed >= length:
            number = passed // length
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return "just now"


def clock(moment: float, now: float) -> str:
    """Format the time of day, with the date if it is not today."""
    local = time.localtime(moment)
    today = local[:3] == time.localtime(now)[:3]
    return time.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M:%S", local)


def since(moment: float, now: float) -> str:
    """Format as `21:03:12, 3 minutes ago`."""
    return f"{clock(moment, now)}, {ago(moment, now)}"


highlight = Highlighter(
    (
        (
            r"^[A-Z][A-Z0-9_]* = .*|^ ?\d+\. [^:\n]+",
            "bold",
        ),  # an option; a step of an operator's call
        (r"^(?:accepts|last build|needs|needed by|a change|named in)(?= )", "dim"),
        (r"\(built [^)]*\)", "dim"),
        (r"^refused|\bdoes not hold\b", "bold red"),
        (
            r"\bwould\s+be\s+(?:compiled|linked|built|rebuilt)\b|\bwas (?:edited|touched|added|removed)\b",
            "yellow",
        ),
        (r"\bis up to date\b|\bholds\b|\bnothing to do\b", "green"),
        (r"[^\s:()]+\.\w+:\d+\b", "cyan"),  # file and line
    )
)
