"""End a build cleanly on signals: end its programs and release its lock.

Python discards an exception that a signal handler raises in a weakref callback, such as those of an
import. So the handler remembers the signal, and a program that fails later counts as interrupted: the
signal has usually reached it, too.
"""

from __future__ import annotations

import signal
from types import FrameType


class Terminated(KeyboardInterrupt):
    """A signal from another process asked this one to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


_received: list[int] = []


def raise_on_signals() -> None:
    """Turn SIGINT, SIGTERM and SIGHUP into exceptions, unless the caller ignores them (nohup)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _raise)


def raise_if_interrupted() -> None:
    """Raise the exception for a signal that was received, in case Python discarded the first one."""
    if _received:
        raise _exception(_received[-1])


def _raise(number: int, frame: FrameType | None) -> None:
    _received.append(number)
    raise _exception(number)


def _exception(number: int) -> KeyboardInterrupt:
    return KeyboardInterrupt() if number == signal.SIGINT else Terminated(number)
