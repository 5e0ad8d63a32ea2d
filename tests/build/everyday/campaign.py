"""The campaign on the fixture project: which edits, in which order, in how many walks at once."""

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
from .edit import Desk, Edit
from .looks import Layout, Observer
from .walk import Verdict, Walk

EDITS = (*entries.EDITS, *files.EDITS, *places.EDITS, *accidents.EDITS)
LAYOUT = Layout("tiny", ("src", "phrases", "replies"), ("bin", "lib", "stubs"))
STEPS_OF_A_WALK = 25
SEED = 20261122
IGNORED = (
    "/build/\n/other/\n__pycache__/\n*.egg-info/\n*.so\n"
    "/tiny/include/\n/tiny/lib/\n/tiny/bin/\n/tiny/made/\n"
)
# What lies there before the first step, so that there is something to delete.
EXTRAS = (
    files.add_kernel,
    files.add_lone_header,
    files.add_lone_header,
    files.add_module,
    entries.add_phrase,
    entries.add_phrase,
)


def deck(seed: int, edits: Sequence[Edit] = EDITS) -> Iterator[Edit]:
    """Every edit once, in a random order; then again, in another."""
    for number in count():
        yield from random.Random(f"{seed} {number}").sample(edits, len(edits))


def edits_of_walk(seed: int, number: int) -> list[Edit]:
    """The part of the deck that one walk takes."""
    first = number * STEPS_OF_A_WALK
    return list(islice(deck(seed), first, first + STEPS_OF_A_WALK))


@dataclass
class Fixture:
    """Makes walks over the fixture project, each in a folder of its own."""

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
        desk = Desk(checkout, folder, random.Random(name))
        for add in EXTRAS:
            add(desk)
        places.start_history(desk)
        return Walk(name, desk, CleanBuilds(clean, observer), observer)

    def _checkout(self, root: Path, environment: Path, settings: Settings) -> Checkout:
        return Checkout(root, make_environment(environment), self._machine, settings)

    def campaign(self, walks: int, steps: int, report: Callable[[Verdict], None]) -> list[Verdict]:
        """The first steps of the first walks, as many at once as there are cores."""

        def go(number: int) -> list[Verdict]:
            edits = edits_of_walk(self.seed, number)
            return self.walk(number).go(edits, steps, report)

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return [verdict for verdicts in pool.map(go, range(walks)) for verdict in verdicts]
