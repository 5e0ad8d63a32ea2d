"""What the steps of the build graph are called: CMake's descriptions, taken apart."""

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
    """`name` is short; `target` says which library or program it is for."""

    name: str
    target: str = ""
    output: str = ""
    """As Ninja's log spells it; empty for a step that does not say."""

    def __str__(self) -> str:
        return f"{self.name} ({self.target})" if self.target else self.name


@lru_cache(maxsize=4096)
def step_name(description: str) -> StepName:
    """A step that is neither compiled nor linked keeps its own words."""
    if not (made := _MADE.match(description)):
        return StepName(description)
    return output_name(made["output"])


def output_name(output: str) -> StepName:
    """The step that makes a file: one that is no object is linked."""
    if match := _OBJECT.match(output):
        return StepName(match["source"], match["target"], output)
    return StepName(f"link {output.rpartition('/')[2]}", "", output)
