"""The campaign on the fixture project: the edits, their order, and the walks that run in parallel."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from ..fixture_project import lay_out_sources, make_environment
from . import accidents, entries, files, places
from .checkout import Checkout, Machine, Settings
from .clean_builds import CleanBuilds
from .edit import Edit, Workspace
from .file_states import Layout, Observer
from .walk import Verdict, Walk

EDITS = (*entries.EDITS, *files.EDITS, *places.EDITS, *accidents.EDITS)
LAYOUT = Layout("tiny", ("src", "phrases", "replies"), ("bin", "lib", "stubs"))
STEPS_OF_A_WALK = 25
SEED = 20261122
IGNORED = (
    "/build/\n/other/\n__pycache__/\n*.egg-info/\n*.so\n"
    "/tiny/include/\n/tiny/lib/\n/tiny/bin/\n/tiny/made/\n"
)
# Made before the first step, so that there is something to delete.
EXTRAS = (
    files.add_kernel,
    files.add_unused_header,
    files.add_unused_header,
    files.add_module,
    entries.add_phrase,
    entries.add_phrase,
)


def shuffled_edits(seed: int, edits: Sequence[Edit] = EDITS) -> Iterator[Edit]:
    """Yield every edit once in a random order, then all of them again in another order, without end."""
    for number in count():
        yield from random.Random(f"{seed} {number}").sample(edits, len(edits))


def edits_for_walk(seed: int, number: int) -> list[Edit]:
    """Return the part of the shuffled edits that belongs to one walk."""
    first = number * STEPS_OF_A_WALK
    return list(islice(shuffled_edits(seed), first, first + STEPS_OF_A_WALK))


@dataclass
class Fixture:
    """Creates walks over the fixture project, each in its own folder."""

    folder: Path
    seed: int = SEED

    def __post_init__(self) -> None:
        self._machine = Machine.set_up(self.folder / "machine")

    def walk(self, number: int) -> Walk:
        folder = self.folder / f"walk{number}"
        (folder / "place").mkdir(parents=True)
        root = lay_out_sources(folder / "place" / "tiny")
        (root / ".gitignore").write_text(IGNORED, encoding="utf-8")
        settings = Settings({"COMPILER_CACHE": "auto"})
        checkout = self._checkout(root, folder / "environment", settings)
        clean = self._checkout(folder / "clean" / "tiny", folder / "clean-environment", settings)
        observer = Observer(LAYOUT)
        name = f"seed {self.seed}, walk {number}"
        workspace = Workspace(checkout, folder, random.Random(name))
        for add in EXTRAS:
            add(workspace)
        places.start_history(workspace)
        return Walk(name, workspace, CleanBuilds(clean, observer), observer)

    def _checkout(self, root: Path, environment: Path, settings: Settings) -> Checkout:
        return Checkout(root, make_environment(environment), self._machine, settings)

    def campaign(self, walks: int, steps: int, report: Callable[[Verdict], None]) -> list[Verdict]:
        """Run the first `steps` of the first `walks`, one walk per core at a time."""

        def run(number: int) -> list[Verdict]:
            edits = edits_for_walk(self.seed, number)
            return self.walk(number).run(edits, steps, report)

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return [verdict for verdicts in pool.map(run, range(walks)) for verdict in verdicts]
