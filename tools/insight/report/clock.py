"""Times of a run in its report: whole milliseconds since the front end started."""

from __future__ import annotations


def on_clock(start: float, end: float) -> dict[str, float]:
    """Round start and end rather than the length, so that intervals do not overlap after rounding."""
    begin = round(start, 3)
    return {"start": begin, "seconds": round(round(end, 3) - begin, 3)}
