"""The line shown during a long step, and the thread that draws it."""

from __future__ import annotations

import io
import sys
import threading
import time
from collections.abc import Callable
from unittest.mock import patch

from tools.base.console import Display
from tools.insight.terminal.waiting import Ticker, Waiting


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


def terminal() -> tuple[Display, io.StringIO]:
    stream = io.StringIO()
    return Display(stream, live=True, colour=False, reflows=True), stream


def test_a_long_step_is_shown_and_then_erased() -> None:
    display, stream = terminal()
    waiting = Waiting("configure", display)
    waiting.doing = "Looking for Threads"
    until(lambda: "Looking for Threads" in stream.getvalue())
    assert "configure" in stream.getvalue()
    waiting.close()
    waiting.close()
    assert "configure" not in stream.getvalue().rpartition("\x1b[2K")[2]


def test_a_short_step_shows_nothing() -> None:
    display, stream = terminal()
    Waiting("config", display).close()
    assert stream.getvalue() == ""


def test_without_rich_nothing_is_drawn() -> None:
    display, stream = terminal()
    with patch.dict(sys.modules, {"rich": None, "rich.text": None, "rich.console": None}):
        waiting = Waiting("doctor", display)
        time.sleep(0.8)
        waiting.close()
    assert stream.getvalue() == ""


def test_a_ticker_holds_its_lock_and_runs_until_it_is_stopped() -> None:
    ticks: list[bool] = []
    ticker = Ticker(lambda: ticks.append(ticker.lock.locked()), period=0.01)
    ticker.start()
    until(lambda: len(ticks) > 2)
    ticker.stop()
    count = len(ticks)
    time.sleep(0.1)
    assert len(ticks) == count and all(ticks)


def test_a_ticker_ends_quietly_when_its_output_is_closed() -> None:
    def tick() -> None:
        raise BrokenPipeError

    before = threading.active_count()
    ticker = Ticker(tick, period=0.01)
    ticker.start()
    until(lambda: threading.active_count() == before)
    ticker.stop()
