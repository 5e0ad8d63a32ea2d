"""Functions that run at the end of a step, when the lazy tensors have been computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import local
from typing import Any


class _Step(local):
    """The functions that run after the calling thread's step, there or in the background."""

    def __init__(self) -> None:
        self.closures: list[tuple[Callable[[], Any], bool]] = []
        self.running: list[Future[Any]] = []
        self.worker: ThreadPoolExecutor | None = None


_step = _Step()


def add_step_closure(
    closure: Callable[..., Any], args: Sequence[Any] = (), run_async: bool = False
) -> None:
    """Call a function at the end of the step, for example to print a loss without cutting the trace.

    Args:
        closure: The function.
        args: Its arguments.
        run_async: Whether to call it in another thread. The end of the next step waits for it and
            raises what it raised.
    """
    _step.closures.append((partial(closure, *args), run_async))


def run_step_closures() -> None:
    """Call the functions that were added in this step; `torch._lazy.mark_step` does it."""
    running, _step.running = _step.running, []
    for future in running:
        future.result()
    closures, _step.closures = _step.closures, []
    for closure, run_async in closures:
        if not run_async:
            closure()
            continue
        if _step.worker is None:
            _step.worker = ThreadPoolExecutor(max_workers=1)
        _step.running.append(_step.worker.submit(closure))
