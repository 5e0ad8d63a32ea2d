"""End a build cleanly on signals, as Ctrl-C does: end its programs and release its lock."""

from __future__ import annotations

import signal
from types import FrameType


class Terminated(KeyboardInterrupt):
    """A signal from another process asked this one to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


def raise_on_signals() -> None:
    """Turn SIGTERM and SIGHUP into exceptions, unless the caller ignores them (nohup)."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)
