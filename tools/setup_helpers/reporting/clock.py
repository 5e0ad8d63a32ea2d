"""Times of a run as its report writes them: whole milliseconds since the front end began."""

from __future__ import annotations


def on_clock(start: float, end: float) -> dict[str, float]:
    """Both ends are rounded, not the length: what did not overlap does not overlap in the report."""
    begin = round(start, 3)
    return {"start": begin, "seconds": round(round(end, 3) - begin, 3)}
