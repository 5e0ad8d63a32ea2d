"""Run functions that wait for programs in parallel threads.

For work that shares no files with each other. Parallel steps of a build were measured and saved less than 0.2 s, so
steps follow each other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Generic, TypeVar

Result = TypeVar("Result")

INTERRUPT_GRACE = 0.5
"""Seconds that an interrupted block waits for a task that has started."""


def run_all(work: Sequence[Callable[[], Result]], stop: Callable[[], None]) -> list[Result]:
    """Run each function in its own thread and return their results in order.

    If one fails or the wait is interrupted, `stop` is called so that the others end early.
    """
    with ExitStack() as stack:
        tasks = [BackgroundTask(function) for function in work]
        try:
            for task in tasks:
                stack.enter_context(task)
            return [task.result() for task in tasks]
        except BaseException:
            stop()
            raise


class BackgroundTask(Generic[Result]):
    """A function that runs in a thread, from the start of a `with` block until its end at the latest.

    `result` raises the function's error in the thread that asks for it. A block that fails waits for
    the function but discards its result; an interrupted block waits for INTERRUPT_GRACE at most.
    """

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._results: list[Result] = []
        self._error: BaseException | None = None

    def __enter__(self) -> BackgroundTask[Result]:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        interrupted = kind is not None and not issubclass(kind, Exception)
        self._thread.join(INTERRUPT_GRACE if interrupted else None)

    def result(self) -> Result:
        """Wait for the function to end; return its result or raise its error."""
        self._thread.join()
        if self._error:
            raise self._error
        return self._results[0]

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:
            self._error = error
