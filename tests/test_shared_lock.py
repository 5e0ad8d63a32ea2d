"""Tests that must be alone are, whichever worker runs them."""

from __future__ import annotations

import select
import subprocess
import sys
from pathlib import Path

import pytest
from turns import Turns

HOLD = """\
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import pytest
from turns import Turns
turns = Turns(Path(sys.argv[2]))
with turns.taken(alone=sys.argv[3] == "alone"):
    print("taken", flush=True)
    sys.stdin.readline()
turns.close()
"""


class Worker:
    """A process that takes a turn and keeps it until it is told to give it back."""

    def __init__(self, folder: Path, how: str) -> None:
        here = str(Path(__file__).parent)
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, here, str(folder), how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def waits(self) -> bool:
        """Whether it says nothing for longer than it takes to start."""
        return not select.select([self.process.stdout], [], [], 1.0)[0]

    def end(self) -> None:
        self.process.communicate("\n")


def test_many_share_the_floor(tmp_path: Path) -> None:
    workers = [Worker(tmp_path, "shared") for _ in range(3)]
    assert [worker.line() for worker in workers] == ["taken"] * 3
    for worker in workers:
        worker.end()


def test_one_alone_waits_for_the_others_and_they_for_it(tmp_path: Path) -> None:
    first = Worker(tmp_path, "shared")
    assert first.line() == "taken"
    alone = Worker(tmp_path, "alone")
    assert alone.waits()
    first.end()
    assert alone.line() == "taken"
    second = Worker(tmp_path, "shared")
    assert second.waits()
    alone.end()
    assert second.line() == "taken"
    second.end()


def test_a_worker_that_was_killed_leaves_no_lock(tmp_path: Path) -> None:
    killed = Worker(tmp_path, "alone")
    assert killed.line() == "taken"
    killed.process.kill()
    killed.process.communicate()
    turns = Turns(tmp_path)
    with turns.taken(alone=True):
        pass
    turns.close()


def test_a_file_is_made_once(tmp_path: Path) -> None:
    made: list[Path] = []

    def make(file: Path) -> None:
        made.append(file)
        file.write_text("made")

    for _ in range(2):
        turns = Turns(tmp_path)
        assert turns.once("file.txt", make).read_text() == "made"
        turns.close()
    assert len(made) == 1


def test_a_file_that_could_not_be_made_is_tried_again(tmp_path: Path) -> None:
    def half(file: Path) -> None:
        file.write_text("half")
        raise RuntimeError

    turns = Turns(tmp_path)
    with pytest.raises(RuntimeError):
        turns.once("file.txt", half)
    assert turns.once("file.txt", lambda file: file.write_text("whole")).read_text() == "whole"
    turns.close()
