"""Format points in time for people."""

from __future__ import annotations

import time

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


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
