"""Work that goes on in threads of its own while the main thread waits for a program, or for several.

For what shares no file with them: it reads nothing that they write meanwhile, and what it writes they
leave alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Generic, TypeVar

Result = TypeVar("Result")

PATIENCE = 0.5
"""Seconds that an interrupt waits for work that has begun."""


def at_once(work: Sequence[Callable[[], Result]], stop: Callable[[], None]) -> list[Result]:
    """The results of all pieces, each in a thread of its own; `stop` hurries them when nobody waits."""
    with ExitStack() as stack:
        pieces = [Beside(piece) for piece in work]
        try:
            for piece in pieces:
                stack.enter_context(piece)
            return [piece.result() for piece in pieces]
        except BaseException:
            stop()
            raise


class Beside(Generic[Result]):
    """One piece of work, from the beginning of a block to its end at the latest.

    An error of the work belongs to whoever asks for its result, in the main thread. A block that ends
    by an error of its own waits for the work and asks for nothing; one that is interrupted waits no
    longer than a person would.
    """

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._results: list[Result] = []
        self._error: BaseException | None = None

    def __enter__(self) -> Beside[Result]:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        interrupted = kind is not None and not issubclass(kind, Exception)
        self._thread.join(PATIENCE if interrupted else None)

    def result(self) -> Result:
        """Waits for the end; raises what the work raised."""
        self._thread.join()
        if self._error:
            raise self._error
        return self._results[0]

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:
            self._error = error
