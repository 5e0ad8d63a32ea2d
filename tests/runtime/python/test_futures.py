"""torch.futures: callbacks that fail, and futures of several results."""

from __future__ import annotations

import logging
import pickle
from typing import Any

import pytest

from torch.futures import Future, collect_all, wait_all


def finished(result: Any = 1) -> Future[Any]:
    """Return a future with a result."""
    future: Future[Any] = Future()
    future.set_result(result)
    return future


def failed(error: Exception) -> Future[Any]:
    """Return a future with an error."""
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


FAILING = {
    "ValueError: no": lambda done: int("no") if done is None else raise_value_error(),
    "TypeError: unsupported operand": lambda done: done + 1,
    "TypeError: .* takes 0 positional arguments but 1 was given": lambda: 1,
}


def raise_value_error() -> None:
    """Raise an error."""
    raise ValueError("no")


@pytest.mark.parametrize("message", FAILING)
def test_waiting_for_the_result_of_a_failed_callback_raises_runtime_error(message: str) -> None:
    following = finished().then(FAILING[message])
    pattern = f"^Got the following error when running the callback: {message}"
    with pytest.raises(RuntimeError, match=pattern) as raised:
        following.wait()
    assert raised.value.__cause__ is not None


@pytest.mark.parametrize("message", FAILING)
@pytest.mark.parametrize("early", [True, False])
def test_the_error_of_a_done_callback_is_logged(
    message: str, early: bool, caplog: pytest.LogCaptureFixture
) -> None:
    future, seen = (Future() if early else finished()), []  # type: ignore[var-annotated]
    future.add_done_callback(FAILING[message])
    future.add_done_callback(lambda done: seen.append(done.value()))
    if early:
        future.set_result(1)
    assert seen == [1]
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.getMessage().startswith("Got the following error when running the callback")


def test_the_first_error_of_several_futures_is_raised() -> None:
    with pytest.raises(ValueError, match="first"):
        wait_all([finished(), failed(ValueError("first")), failed(TypeError("second"))])
    with pytest.raises(ValueError, match="first"):
        collect_all([failed(ValueError("first"))]).wait()


@pytest.mark.parametrize("function", [collect_all, wait_all])
def test_none_among_futures_is_refused(function: Any) -> None:
    with pytest.raises(RuntimeError, match="Future can't be None"):
        function([finished(), None])


def test_wrong_uses_are_refused() -> None:
    for method in ("then", "add_done_callback"):
        with pytest.raises(TypeError, match=method):
            getattr(finished(), method)(None)
    with pytest.raises(RuntimeError, match=r"Can not pickle torch\.futures\.Future"):
        pickle.dumps(Future())
    with pytest.raises(ValueError, match="Expected devices to have indices, got cpu"):
        Future(devices=["cpu"])
