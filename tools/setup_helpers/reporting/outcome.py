"""What the steps of a run tell the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..graph.ninja import Built

if TYPE_CHECKING:
    from ..code_generation.stages import StageResult
    from ..graph.compiler_cache import Counters
    from ..profiling.costs import Profile
    from ..tree.fingerprint import Entry
    from .build_graph import BuildGraph
    from .reasons import Reason

# In place of the number of a cause.
NO_CAUSE = -1


@dataclass
class Outcome:
    """What the steps of one run left behind; a run that failed has the first of them only."""

    inputs: Mapping[str, Entry]
    stages: Sequence[StageResult] = ()
    configured: str = ""
    """Why CMake ran; empty when it did not."""
    ninja: str = ""
    targets: Sequence[str] = ()
    graph: BuildGraph | None = None
    """What makes the targets, if that is known already."""
    reasons: Mapping[str, Reason] = field(default_factory=dict)
    """Why Ninja had to make what it made."""
    jobs: int = 1
    """How many commands Ninja might run at once."""
    built: Built = field(default_factory=lambda: Built(()))
    cache: Counters | None = None
    profile: Profile | None = None
