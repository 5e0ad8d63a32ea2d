"""Background tasks: their results, their errors, and what happens to them on an interrupt."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from tools.base.background import BackgroundTask, run_all


def test_the_task_runs_while_the_block_runs() -> None:
    both = threading.Barrier(2, timeout=20)
    with BackgroundTask(both.wait) as task:
        both.wait()  # returns only when the other thread has also arrived
    assert task.result() in (0, 1)


def test_result_raises_the_error_of_the_task() -> None:
    def fail() -> None:
        raise OSError("no room")

    with BackgroundTask(fail) as task:
        pass
    with pytest.raises(OSError, match="no room"):
        task.result()


def test_an_interrupt_waits_for_the_task_and_ignores_its_error() -> None:
    ended = threading.Event()
    interrupted = threading.Event()

    def fail_late() -> None:
        interrupted.wait(20)
        ended.set()
        raise OSError("no room")

    with pytest.raises(KeyboardInterrupt), BackgroundTask(fail_late):
        interrupted.set()
        raise KeyboardInterrupt
    assert ended.is_set()


def test_run_all_runs_in_parallel_and_keeps_the_order() -> None:
    all_started = threading.Barrier(3, timeout=20)

    def work_item(number: int) -> int:
        all_started.wait()  # returns only once all have started
        return number

    work = [partial(work_item, number) for number in range(3)]
    assert run_all(work, lambda: pytest.fail("nothing should be stopped")) == [0, 1, 2]


def test_when_one_function_fails_the_others_are_stopped() -> None:
    stopped = threading.Event()

    def fail() -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        run_all([fail, lambda: stopped.wait(20)], stopped.set)
    assert stopped.is_set()


def test_an_interrupt_does_not_wait_for_a_task_that_hangs() -> None:
    released = threading.Event()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), BackgroundTask(lambda: released.wait(20)):
        raise KeyboardInterrupt
    assert time.monotonic() - start < 10
    released.set()
