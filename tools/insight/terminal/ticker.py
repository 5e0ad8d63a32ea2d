"""A thread that repeats a small task until it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress


class Ticker:
    """Calls `tick` every `period` seconds, first after `patience`, and holds `lock` during each call."""

    def __init__(
        self, tick: Callable[[], None], period: float, patience: float | None = None
    ) -> None:
        self.lock = threading.Lock()
        """Protects the data that the ticks share with other threads."""
        self._tick = tick
        self._period = period
        self._patience = period if patience is None else patience
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop ticking. May be called more than once, and by the thread itself."""
        self._stopping.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        pause = self._patience
        with suppress(OSError):  # the output is closed; the next write will report that
            while not self._stopping.wait(pause):
                with self.lock:
                    self._tick()
                pause = self._period
