"""torch.monitor: events reach their handlers, and statistics become events window by window."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from typing import Any

import pytest

from torch import monitor
from torch.monitor import Aggregation, Event, Stat

NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
HOUR = datetime.timedelta(hours=1)
ALL = list(Aggregation)


@pytest.fixture
def events() -> Iterator[list[Event]]:
    """The events logged during a test."""
    received: list[Event] = []
    handle = monitor.register_event_handler(received.append)
    yield received
    monitor.unregister_event_handler(handle)


def test_event_reaches_every_handler_unchanged(events: list[Event]) -> None:
    data = {"text": "x", "float": 1.5, "int": 2**40, "bool": True}
    logged = Event("loaded", NOW, data)
    monitor.log_event(logged)
    (event,) = events
    assert event is logged
    assert (event.name, event.timestamp, event.data) == ("loaded", NOW, data)
    assert [type(event.data[key]) for key in data] == [str, float, int, bool]


def test_unregistered_handler_gets_no_events(events: list[Event]) -> None:
    received: list[Event] = []
    handle = monitor.register_event_handler(received.append)
    for _ in range(2):
        monitor.unregister_event_handler(handle)
    monitor.log_event(Event("late", NOW, {}))
    assert not received and len(events) == 1


def test_exception_of_a_handler_propagates_to_the_logging_call() -> None:
    def refuse(event: Event) -> None:
        raise LookupError(event.name)

    handle = monitor.register_event_handler(refuse)
    try:
        with pytest.raises(LookupError, match=r"^bad$"):
            monitor.log_event(Event("bad", NOW, {}))
    finally:
        monitor.unregister_event_handler(handle)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Event("x", NOW, {"a": [1]}), "str, float, int or bool, not list"),
        (lambda: Event("x", NOW, []), "must be dict, not list"),
        (lambda: monitor.log_event("x"), "expects an Event, but got str"),
        (lambda: monitor.unregister_event_handler(3), "expects an EventHandlerHandle, but got int"),
        (lambda: Stat("x", [3], HOUR), "expected a member of <enum 'Aggregation'>, but got int"),
        (lambda: Stat("x", 3, HOUR), "expected a sequence of Aggregation"),
    ],
)
def test_wrong_arguments_are_refused(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_statistic_is_logged_at_its_end(events: list[Event]) -> None:
    stat = Stat("loss", ALL, HOUR)
    for value in (4, 1.5, 3):
        stat.add(value)
    assert stat.name == "loss" and stat.count == 3
    assert set(stat.get().values()) == {0.0} and not events
    del stat
    (event,) = events
    assert event.name == monitor.STAT_EVENT
    assert event.data == {
        "loss.value": 3,
        "loss.mean": 8.5 / 3,
        "loss.count": 3,
        "loss.sum": 8.5,
        "loss.max": 4,
        "loss.min": 1.5,
    }


def test_statistic_is_logged_when_a_measurement_follows_its_window(events: list[Event]) -> None:
    stat = Stat("x", [Aggregation.SUM], datetime.timedelta(milliseconds=20))
    stat.add(1)
    time.sleep(0.05)
    assert not events
    stat.add(2)
    assert [event.data for event in events] == [{"x.sum": 1}]
    assert stat.get() == {Aggregation.SUM: 1} and stat.count == 1


def test_window_holds_at_most_max_samples(events: list[Event]) -> None:
    stat = Stat("x", [Aggregation.SUM, Aggregation.COUNT], HOUR, max_samples=2)
    for value in (1, 2, 4):
        stat.add(value)
    assert [event.data for event in events] == [{"x.sum": 3, "x.count": 2}] and stat.count == 0
    assert stat.get() == {Aggregation.SUM: 3, Aggregation.COUNT: 2}
    del stat
    assert len(events) == 1


def test_a_failing_handler_does_not_disturb_the_end_of_a_statistic() -> None:
    def refuse(event: Event) -> None:
        raise LookupError(event.name)

    handle = monitor.register_event_handler(refuse)
    try:
        stat = Stat("x", ALL, HOUR)
        stat.add(1)
        del stat
    finally:
        monitor.unregister_event_handler(handle)
