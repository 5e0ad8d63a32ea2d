"""Signals that end a build in order, as Ctrl-C does: what it runs is ended, its lock let go."""

from __future__ import annotations

import signal
from types import FrameType


class Terminated(KeyboardInterrupt):
    """Told to end by another process."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


def end_in_order() -> None:
    """For SIGTERM, and SIGHUP unless the caller chose to ignore it (nohup)."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)
