"""A test that must run alone does so, whichever worker runs it."""

from __future__ import annotations

import select
import subprocess
import sys
from pathlib import Path

import pytest
from shared_lock import SharedLock

HOLD = """\
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import pytest
from shared_lock import SharedLock
shared_lock = SharedLock(Path(sys.argv[2]))
with shared_lock.hold(alone=sys.argv[3] == "alone"):
    print("held", flush=True)
    sys.stdin.readline()
shared_lock.close()
"""


class Worker:
    """A process that takes the lock and holds it until it is asked to release it."""

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
        """Return whether the process is still waiting after the time that it takes to start."""
        return not select.select([self.process.stdout], [], [], 1.0)[0]

    def end(self) -> None:
        self.process.communicate("\n")


def test_many_processes_share_the_lock(tmp_path: Path) -> None:
    workers = [Worker(tmp_path, "shared") for _ in range(3)]
    assert [worker.line() for worker in workers] == ["held"] * 3
    for worker in workers:
        worker.end()


def test_an_exclusive_process_and_the_others_wait_for_each_other(tmp_path: Path) -> None:
    first = Worker(tmp_path, "shared")
    assert first.line() == "held"
    alone = Worker(tmp_path, "alone")
    assert alone.waits()
    first.end()
    assert alone.line() == "held"
    second = Worker(tmp_path, "shared")
    assert second.waits()
    alone.end()
    assert second.line() == "held"
    second.end()


def test_a_killed_worker_releases_its_lock(tmp_path: Path) -> None:
    killed = Worker(tmp_path, "alone")
    assert killed.line() == "held"
    killed.process.kill()
    killed.process.communicate()
    shared_lock = SharedLock(tmp_path)
    with shared_lock.hold(alone=True):
        pass
    shared_lock.close()


def test_a_shared_file_is_made_once(tmp_path: Path) -> None:
    made: list[Path] = []

    def make(file: Path) -> None:
        made.append(file)
        file.write_text("made")

    for _ in range(2):
        shared_lock = SharedLock(tmp_path)
        assert shared_lock.once("file.txt", make).read_text() == "made"
        shared_lock.close()
    assert len(made) == 1


def test_making_a_shared_file_is_retried_after_an_error(tmp_path: Path) -> None:
    def half(file: Path) -> None:
        file.write_text("half")
        raise RuntimeError

    shared_lock = SharedLock(tmp_path)
    with pytest.raises(RuntimeError):
        shared_lock.once("file.txt", half)
    assert (
        shared_lock.once("file.txt", lambda file: file.write_text("whole")).read_text() == "whole"
    )
    shared_lock.close()
