"""Format durations for people."""

from __future__ import annotations


def clock_time(seconds: float) -> str:
    """Format seconds like a stopwatch: 0:07, 12:30, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def about(seconds: float) -> str:
    """Format seconds with the limited precision of a forecast: 8 s, 45 s, 3:20, 1 h 05."""
    if seconds < 20:
        return f"{max(1, round(seconds))} s"
    if seconds < 60:
        return f"{5 * round(seconds / 5)} s"
    if seconds < 3600:
        return clock_time(10 * round(seconds / 10))
    return f"{int(seconds) // 3600} h {int(seconds) % 3600 // 60:02}"
