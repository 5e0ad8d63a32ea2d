"""After any everyday edit, a build gives the same result as a clean build and does no needless work.

A failure names its seed, walk and step; EVERYDAY=WALK.STEP repeats that walk up to this step.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from .everyday import entries, files, library
from .everyday.campaign import EDITS, SEED, Fixture, edits_for_walk
from .everyday.checkout import BuildMethod
from .everyday.edit import NOTHING, Apply, Edit, replace_in
from .everyday.tally import HEAD, tallies_of
from .everyday.walk import Verdict
from .page_table import PageTable

COMMAND = "EVERYDAY={} python -m pytest -m slow tests/build/test_everyday.py"
TABLE = PageTable(COMMAND.format("all"), HEAD)
LIBRARY_TABLE = PageTable(COMMAND.format("library"), HEAD)
REQUESTED = os.environ.get("EVERYDAY", "")
CHOSEN_SEED = int(os.environ.get("EVERYDAY_SEED", SEED))
# Number of walks, and of steps in each.
FULL, LONG, SHORT = (20, 25), (3, 20), (2, 10)


@pytest.fixture
def fixture(tmp_path: Path) -> Fixture:
    if not shutil.which("git"):
        pytest.skip("git is not installed, and every walk uses it")
    return Fixture(tmp_path, CHOSEN_SEED)


def print_verdict(verdict: Verdict) -> None:
    """Print the verdict; `pytest -s` shows it while the campaign runs."""
    print(verdict, flush=True)


def assert_all_passed(verdicts: Iterable[Verdict]) -> None:
    bad = [str(verdict) for verdict in verdicts if verdict.wrong or verdict.needless]
    assert not bad, "\n\n".join([f"{len(bad)} steps went wrong", *bad])


def test_a_short_walk_over_everyday_edits(fixture: Fixture) -> None:
    assert_all_passed(fixture.campaign(*SHORT, print_verdict))


def test_the_campaign_notices_missing_generated_files(fixture: Fixture) -> None:
    """Reintroduces a past bug: a comment in the YAML deleted everything generated from it."""
    walk = fixture.walk(0)
    manager = walk.workspace.root / "tools/base/file_manager.py"
    replace_in(manager, "        if self._is_unchanged:\n            return\n", "")
    replace_in(
        manager, "self._kept = same", "self._kept = {p: e for p, e in same.items() if p in files}"
    )
    comment = entries.comment(entries.PHRASES)
    codegen_alone = Edit(
        comment.name,
        lambda workspace: replace(comment.apply(workspace), methods=(BuildMethod.CODEGEN,)),
    )
    (verdict,) = walk.run([codegen_alone], 1)
    assert "generated: phrases/Phrases.h is missing" in verdict.wrong


def test_the_campaign_notices_work_beyond_the_limits(fixture: Fixture) -> None:
    nothing = replace(NOTHING, methods=(BuildMethod.DEVELOP,))

    def claim_nothing(change: Apply) -> Edit:
        return Edit("more than its limits allow", lambda workspace: [change(workspace), nothing][1])

    edits = [claim_nothing(entries.change_phrase), claim_nothing(files.change_header)]
    for verdict in fixture.walk(0).run(edits, 2):
        assert not verdict.wrong and verdict.needless


def record_results(
    verdicts: list[Verdict], table: PageTable, edits: Iterable[Edit], *, whole: bool
) -> None:
    """Print the rows, and write those of a full campaign into the page, even if steps failed."""
    rows = {name: tally.row() for name, tally in tallies_of(verdicts).items()}
    print("", HEAD, *rows.values(), sep="\n")
    if whole:
        table.fill(rows, (edit.name for edit in edits))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.skipif(REQUESTED not in ("", "all"), reason="EVERYDAY requests something else")
def test_many_everyday_edits(fixture: Fixture) -> None:
    verdicts = fixture.campaign(*(FULL if REQUESTED == "all" else LONG), print_verdict)
    record_results(verdicts, TABLE, EDITS, whole=REQUESTED == "all")
    assert_all_passed(verdicts)


@pytest.mark.slow
@pytest.mark.timeout(14400)
@pytest.mark.skipif(
    REQUESTED != "library", reason="EVERYDAY=library builds torch itself many times"
)
def test_many_everyday_edits_of_the_library(tmp_path: Path) -> None:
    verdicts = library.LibraryWalk(tmp_path, CHOSEN_SEED).campaign(library.STEPS, print_verdict)
    record_results(verdicts, LIBRARY_TABLE, library.EDITS, whole=True)
    assert_all_passed(verdicts)


@pytest.mark.slow
@pytest.mark.skipif("." not in REQUESTED, reason="EVERYDAY=WALK.STEP names the step to take again")
def test_repeat_one_step(fixture: Fixture) -> None:
    number, last = map(int, REQUESTED.split("."))
    edits = edits_for_walk(CHOSEN_SEED, number)
    assert_all_passed(fixture.walk(number).run(edits, last + 1, print_verdict))


@pytest.mark.parametrize(("table", "edits"), [(TABLE, EDITS), (LIBRARY_TABLE, library.EDITS)])
def test_the_page_lists_only_successful_edits(table: PageTable, edits: tuple[Edit, ...]) -> None:
    rows = {name: [int(cell) for cell in cells] for name, cells in table.rows().items()}
    assert rows.keys() <= {edit.name for edit in edits}
    wrong = [name for name, row in rows.items() if row[0] != row[1] or row[2] or row[3]]
    assert not wrong
