"""The next build repairs any damaged tree and gives the same bytes as a clean build."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conditions import small_disk
from .faults.campaign import HEAD, Campaign, Tally
from .faults.library_tree import library_tree
from .faults.table import FAULTS, MORE_RECORDS, NEVER_READ, RECORDS, Fault, kill_group
from .faults.tree import PRODUCTS, Tree
from .fixture_project import Project
from .page_table import PageTable

TABLE = PageTable("FAULTS=all python -m pytest -m slow tests/build/test_faults.py", HEAD)
DISK_FULL = "disk full"
LIBRARY_KILLED = "SIGKILL of the process group, torch itself"
ROUNDS = {fault.name: fault.rounds for fault in FAULTS} | {DISK_FULL: 20, LIBRARY_KILLED: 10}
# The page needs every round. The slow tests take a tenth of the rounds, and at least one.
FULL = "FAULTS" in os.environ


def rounds(fault: str) -> int:
    return ROUNDS[fault] if FULL else max(ROUNDS[fault] // 10, 1)


@pytest.fixture(scope="module")
def campaign(
    sources: Path, environment: Path, tmp_path_factory: pytest.TempPathFactory
) -> Campaign:
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "place").mkdir()
    tree = Tree(folder / "place" / "tiny", environment, sources, folder / "compilers")
    return Campaign(tree, random.Random(20261121))


@pytest.fixture(scope="module")
def tallies() -> Iterator[list[Tally]]:
    """Collect the results, print them, and write those of a full campaign into the page."""
    tallies: list[Tally] = []
    yield tallies
    print("", HEAD, *(tally.row() for tally in tallies), sep="\n")
    if FULL:
        TABLE.fill({tally.fault: tally.row() for tally in tallies}, ROUNDS)


def assert_recovered(tally: Tally) -> None:
    assert not tally.failures, "\n\n".join(tally.failures)
    assert tally.provoked == tally.recovered == tally.equal


@pytest.mark.parametrize(
    "fault", [fault for fault in FAULTS if fault.in_default_tests], ids=lambda fault: fault.name
)
def test_recovery_from_one_fault(fault: Fault, campaign: Campaign) -> None:
    assert_recovered(campaign.run_rounds(fault.name, fault.provoke, 1))


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_recovery_from_every_fault(fault: Fault, campaign: Campaign, tallies: list[Tally]) -> None:
    tallies.append(campaign.run_rounds(fault.name, fault.provoke, rounds(fault.name)))
    assert_recovered(tallies[-1])


def test_the_campaign_damages_every_record(developed: Project) -> None:
    """The campaign lists all files that a build keeps for the next one."""
    build = developed.root / "build"
    kept = {path.name for path in build.iterdir()} - {*PRODUCTS, *NEVER_READ}
    assert kept <= {*RECORDS, *MORE_RECORDS}


def fill_disk(campaign: Campaign) -> str:
    """Build on a file system that is too small: the build must fail and name the cause."""
    campaign.tree.edit_all()
    if campaign.round % 2 == 0:
        campaign.tree.fresh()
    ballast = campaign.tree.root.parent / "ballast"
    room = campaign.rng.randrange(0, 400_000)
    free = shutil.disk_usage(ballast.parent).free
    ballast.write_bytes(bytes(max(free - room, 0)))
    result = campaign.tree.run("develop", check=False)
    ballast.unlink()
    if result.returncode == 0:
        return "there was room"
    output = result.stdout + result.stderr
    assert "No space left on device" in output and "Traceback" not in output, output
    return "refused"


@pytest.mark.slow
def test_recovery_from_a_full_disk(
    sources: Path, environment: Path, tmp_path: Path, tallies: list[Tally]
) -> None:
    with small_disk(tmp_path / "disk", "32m") as disk:
        tree = Tree(disk / "tiny", environment, sources, tmp_path / "compilers")
        campaign = Campaign(tree, random.Random(3))
        tallies.append(campaign.run_rounds(DISK_FULL, fill_disk, rounds(DISK_FULL)))
    assert_recovered(tallies[-1])


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_recovery_of_the_library_itself(
    environment: Path, tmp_path: Path, tallies: list[Tally]
) -> None:
    if not FULL:
        pytest.skip("builds the library a dozen times: set FAULTS=all")
    tree = library_tree(tmp_path / "library" / "checkout", environment)
    tree.root.parent.mkdir()
    campaign = Campaign(tree, random.Random(10))
    tallies.append(campaign.run_rounds(LIBRARY_KILLED, kill_group, rounds(LIBRARY_KILLED)))
    assert_recovered(tallies[-1])


def test_the_page_has_a_row_for_every_fault() -> None:
    """The row of the library itself is optional, since it takes most of an hour to measure."""
    found = {name: cells[1:] for name, cells in TABLE.rows().items()}
    expected = {name: [str(count)] * 3 for name, count in ROUNDS.items()}
    assert {LIBRARY_KILLED: expected[LIBRARY_KILLED], **found} == expected
