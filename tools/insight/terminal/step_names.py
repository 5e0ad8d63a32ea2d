"""Short names for the steps of the build graph, parsed from CMake's descriptions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_MADE = re.compile(r"(?:Building|Linking) .+? (?P<output>\S+)$")
_OBJECT = re.compile(
    r"(?:.*/)?CMakeFiles/(?P<target>[^/]+)\.dir/(?:.*/)?(?P<source>[^/]+)\.(?:o|obj)$"
)


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
