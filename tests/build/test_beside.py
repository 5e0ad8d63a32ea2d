"""Work beside a waiting main thread: its result, its errors, and what an interrupt makes of it."""

from __future__ import annotations

import threading

import pytest

from tools.setup_helpers.beside import Beside


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
