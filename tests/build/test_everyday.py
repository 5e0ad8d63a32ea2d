"""After any everyday edit a build gives what a clean build gives, and does no more than it must.

A failure names its seed, walk and step; EVERYDAY=WALK.STEP takes that walk again up to this step.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from .everyday import entries, files, library
from .everyday.campaign import EDITS, SEED, Fixture, edits_of_walk
from .everyday.checkout import Way
from .everyday.edit import NOTHING, Apply, Edit, replace_in
from .everyday.tally import HEAD, tallies_of
from .everyday.walk import Verdict
from .page_table import PageTable

COMMAND = "EVERYDAY={} python -m pytest -m slow tests/build/test_everyday.py"
TABLE = PageTable(COMMAND.format("all"), HEAD)
LIBRARY_TABLE = PageTable(COMMAND.format("library"), HEAD)
ASKED = os.environ.get("EVERYDAY", "")
CHOSEN_SEED = int(os.environ.get("EVERYDAY_SEED", SEED))
# Walks, and steps of each.
FULL, LONG, SHORT = (20, 25), (3, 20), (2, 10)


@pytest.fixture
def fixture(tmp_path: Path) -> Fixture:
    return Fixture(tmp_path, CHOSEN_SEED)


def say(verdict: Verdict) -> None:
    """Shown by `pytest -s`, while the campaign goes on."""
    print(verdict, flush=True)


def all_well(verdicts: Iterable[Verdict]) -> None:
    bad = [str(verdict) for verdict in verdicts if verdict.wrong or verdict.needless]
    assert not bad, "\n\n".join([f"{len(bad)} steps went wrong", *bad])


def test_a_short_walk_over_everyday_edits(fixture: Fixture) -> None:
    all_well(fixture.campaign(*SHORT, say))


def test_the_campaign_sees_generated_files_that_are_gone(fixture: Fixture) -> None:
    """A comment in the YAML once deleted whatever was generated from it."""
    walk = fixture.walk(0)
    manager = walk.desk.root / "tools/setup_helpers/code_generation/file_manager.py"
    replace_in(manager, "        if self._is_unchanged:\n            return\n", "")
    replace_in(
        manager, "self._kept = same", "self._kept = {p: e for p, e in same.items() if p in files}"
    )
    comment = entries.comment(entries.PHRASES)
    codegen_alone = Edit(
        comment.name, lambda desk: replace(comment.apply(desk), ways=(Way.CODEGEN,))
    )
    (verdict,) = walk.go([codegen_alone], 1)
    assert "generated: phrases/Phrases.h is missing" in verdict.wrong


def test_the_campaign_sees_what_an_edit_may_not_cause(fixture: Fixture) -> None:
    nothing = replace(NOTHING, ways=(Way.DEVELOP,))

    def claim_nothing(change: Apply) -> Edit:
        return Edit("more than it says", lambda desk: [change(desk), nothing][1])

    edits = [claim_nothing(entries.change_phrase), claim_nothing(files.change_header)]
    for verdict in fixture.walk(0).go(edits, 2):
        assert not verdict.wrong and verdict.needless


def tell(verdicts: list[Verdict], table: PageTable, edits: Iterable[Edit], *, whole: bool) -> None:
    """Print the rows; those of a whole campaign take their places in the page, whatever came of it."""
    rows = {name: tally.row() for name, tally in tallies_of(verdicts).items()}
    print("", HEAD, *rows.values(), sep="\n")
    if whole:
        table.fill(rows, (edit.name for edit in edits))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.skipif(ASKED not in ("", "all"), reason="EVERYDAY asks for something else")
def test_many_everyday_edits(fixture: Fixture) -> None:
    verdicts = fixture.campaign(*(FULL if ASKED == "all" else LONG), say)
    tell(verdicts, TABLE, EDITS, whole=ASKED == "all")
    all_well(verdicts)


@pytest.mark.slow
@pytest.mark.timeout(14400)
@pytest.mark.skipif(ASKED != "library", reason="EVERYDAY=library builds torch itself many times")
def test_many_everyday_edits_of_the_library(tmp_path: Path) -> None:
    verdicts = library.LibraryWalk(tmp_path, CHOSEN_SEED).campaign(library.STEPS, say)
    tell(verdicts, LIBRARY_TABLE, library.EDITS, whole=True)
    all_well(verdicts)


@pytest.mark.slow
@pytest.mark.skipif("." not in ASKED, reason="EVERYDAY=WALK.STEP names the step to take again")
def test_one_step_again(fixture: Fixture) -> None:
    number, last = map(int, ASKED.split("."))
    edits = edits_of_walk(CHOSEN_SEED, number)
    all_well(fixture.walk(number).go(edits, last + 1, say))


@pytest.mark.parametrize(("table", "edits"), [(TABLE, EDITS), (LIBRARY_TABLE, library.EDITS)])
def test_the_page_tells_of_edits_that_were_built_right(
    table: PageTable, edits: tuple[Edit, ...]
) -> None:
    rows = {name: [int(cell) for cell in cells] for name, cells in table.rows().items()}
    assert rows.keys() <= {edit.name for edit in edits}
    wrong = [name for name, row in rows.items() if row[0] != row[1] or row[2] or row[3]]
    assert not wrong
