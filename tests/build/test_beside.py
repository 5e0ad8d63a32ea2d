"""Work beside a waiting main thread: its result, its errors, and what an interrupt makes of it."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from tools.setup_helpers.beside import Beside, at_once


def test_the_work_goes_on_while_the_block_runs() -> None:
    both = threading.Barrier(2, timeout=20)
    with Beside(both.wait) as work:
        both.wait()  # which ends only if the other arrives
    assert work.result() in (0, 1)


def test_an_error_belongs_to_who_asks_for_the_result() -> None:
    def fail() -> None:
        raise OSError("no room")

    with Beside(fail) as work:
        pass
    with pytest.raises(OSError, match="no room"):
        work.result()


def test_an_interrupt_waits_for_the_work_and_drops_its_error() -> None:
    ended = threading.Event()
    interrupted = threading.Event()

    def fail_late() -> None:
        interrupted.wait(20)
        ended.set()
        raise OSError("no room")

    with pytest.raises(KeyboardInterrupt), Beside(fail_late):
        interrupted.set()
        raise KeyboardInterrupt
    assert ended.is_set()


def test_pieces_go_on_at_once_and_keep_their_order() -> None:
    all_there = threading.Barrier(3, timeout=20)

    def piece(number: int) -> int:
        all_there.wait()  # which ends only if all have begun
        return number

    work = [partial(piece, number) for number in range(3)]
    assert at_once(work, lambda: pytest.fail("nothing is to be stopped")) == [0, 1, 2]


def test_when_one_piece_fails_the_others_are_stopped() -> None:
    stopped = threading.Event()

    def fail() -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        at_once([fail, lambda: stopped.wait(20)], stopped.set)
    assert stopped.is_set()


def test_an_interrupt_does_not_wait_for_work_that_hangs() -> None:
    released = threading.Event()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Beside(lambda: released.wait(20)):
        raise KeyboardInterrupt
    assert time.monotonic() - began < 10
    released.set()
