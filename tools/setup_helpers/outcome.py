"""The results that the steps of a run hand to the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .ninja.run import Built

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry
    from tools.insight.profile.costs import Profile

    from .generation.stages import StageResult
    from .ninja.build_graph import BuildGraph
    from .ninja.compiler_cache import Counters
    from .ninja.reasons import Reason

# Used instead of the number of a cause.
NO_CAUSE = -1


@dataclass
class Outcome:
    """The results of the steps of one run; a failed run has those of its first steps only."""

    inputs: Mapping[str, Entry]
    stages: Sequence[StageResult] = ()
    configured: str = ""
    """Why CMake ran; empty when it did not."""
    ninja: str = ""
    targets: Sequence[str] = ()
    graph: BuildGraph | None = None
    """The graph of the targets, if it is known already."""
    reasons: Mapping[str, Reason] = field(default_factory=dict)
    """Output -> why Ninja had to build it."""
    jobs: int = 1
    """The maximum number of parallel commands."""
    built: Built = field(default_factory=lambda: Built(()))
    cache: Counters | None = None
    profile: Profile | None = None
