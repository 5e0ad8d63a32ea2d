"""Words for a terminal: durations, and short names for the steps of the build graph."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_MADE = re.compile(r"(?:Building|Linking) .+? (?P<output>\S+)$")
_OBJECT = re.compile(
    r"(?:.*/)?CMakeFiles/(?P<target>[^/]+)\.dir/(?:.*/)?(?P<source>[^/]+)\.(?:o|obj)$"
)


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


@dataclass(frozen=True)
class StepName:
    """A step's short name, and the library or program (`target`) it belongs to."""

    name: str
    target: str = ""
    output: str = ""
    """The output as Ninja's log spells it; empty if the description does not contain it."""

    def __str__(self) -> str:
        return f"{self.name} ({self.target})" if self.target else self.name


@lru_cache(maxsize=4096)
def step_name(description: str) -> StepName:
    """Parse a description; steps other than compilations and links keep theirs as the name."""
    if not (made := _MADE.match(description)):
        return StepName(description)
    return output_name(made["output"])


def output_name(output: str) -> StepName:
    """Return the name of the step that builds a file; files other than objects are linked."""
    if match := _OBJECT.match(output):
        return StepName(match["source"], match["target"], output)
    return StepName(f"link {output.rpartition('/')[2]}", "", output)
