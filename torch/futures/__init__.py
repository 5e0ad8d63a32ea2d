"""Future: a result that another thread, or a later call, provides."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

__all__ = ["Future", "collect_all", "wait_all"]


class Future(Generic[T]):
    """A result that is set once, by any thread.

    Args:
        devices: Devices, with their indices, whose streams the result's tensors are synchronized
            with; None on the CPU.

    Example:
        >>> future = torch.futures.Future()
        >>> doubled = future.then(lambda done: 2 * done.value())
        >>> future.set_result(21)
        >>> doubled.wait()
        42
    """

    def __init__(self, *, devices: list[Any] | None = None) -> None:
        for device in devices or ():
            _require_indexed(device)
        self._condition = threading.Condition()
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], None]] = []

    def done(self) -> bool:
        """Return whether the result or an error has been set."""
        return self._done

    def wait(self) -> T:
        """Wait for the result and return it. Raise the error if one was set."""
        with self._condition:
            self._condition.wait_for(lambda: self._done)
        return self.value()

    def value(self) -> T:
        """Return the result of a future that is done. Raise the error if one was set."""
        if not self._done:
            raise RuntimeError("The future has not been completed")
        if self._error is not None:
            raise self._error
        return self._value

    def set_result(self, result: T) -> None:
        """Set the result and run the callbacks. Raise RuntimeError if it was set before."""
        self._complete(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Set an error, which `wait` and `value` raise.

        Raises:
            AssertionError: If `result` is not an exception.
        """
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(None, result)

    def _complete(self, value: Any, error: BaseException | None) -> None:
        with self._condition:
            if self._done:
                raise RuntimeError(
                    "Attempting to mark a completed Future as complete again. Note that a Future "
                    "can only be marked completed once."
                )
            self._value, self._error, self._done = value, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._condition.notify_all()
        for callback in callbacks:
            self._run(callback)

    def _run(self, callback: Callable[[Future[T]], None]) -> None:
        """Call a function with this future, and log the error that it raises."""
        try:
            callback(self)
        except Exception as error:
            import logging

            logging.getLogger(__name__).error(_failure(error), exc_info=error)

    def __reduce__(self) -> Any:
        """Raise RuntimeError: a future belongs to its process."""
        raise RuntimeError("Can not pickle torch.futures.Future")

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Call a function with this future once it is done; at once if it is.

        An error that the function raises is logged and ends there: nobody waits for the function's
        result. `then` keeps results and errors.
        """
        _require_callable("add_done_callback", callback)
        with self._condition:
            if not self._done:
                self._callbacks.append(callback)
                return
        self._run(callback)

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """Return a future of what a function returns for this future once it is done.

        If the function raises an error, waiting for the returned future raises a RuntimeError that
        contains its text and has it as its cause.
        """
        _require_callable("then", callback)
        following: Future[Any] = Future()

        def run(done: Future[T]) -> None:
            try:
                result = callback(done)
            except Exception as error:
                failure = RuntimeError(_failure(error))
                failure.__cause__ = error
                following.set_exception(failure)
            else:
                following.set_result(result)

        self.add_done_callback(run)
        return following


def _failure(error: Exception) -> str:
    name = type(error).__name__
    return f"Got the following error when running the callback: {name}: {error}"


def _require_callable(method: str, callback: Any) -> None:
    if not callable(callback):
        raise TypeError(f"{method}(): expected a function of a Future, but got {callback!r}")


def _require_indexed(device: Any) -> None:
    """Raise ValueError for a device without an index."""
    import torch

    device = torch.device(device)
    if device.index is None:
        raise ValueError(f"Expected devices to have indices, got {device}")


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """Return a future of the futures of a list, done once all of them are.

    Example:
        >>> first, second = torch.futures.Future(), torch.futures.Future()
        >>> both = torch.futures.collect_all([first, second])
        >>> first.set_result(1)
        >>> second.set_result(2)
        >>> [future.value() for future in both.wait()]
        [1, 2]
    """
    futures = list(futures)
    if None in futures:
        raise RuntimeError("Future can't be None")
    collected: Future[list[Future[Any]]] = Future()
    if not futures:
        collected.set_result([])
        return collected
    remaining, lock = [len(futures)], threading.Lock()

    def count(_: Future[Any]) -> None:
        with lock:
            remaining[0] -= 1
            last = remaining[0] == 0
        if not last:
            return
        error = next((f._error for f in futures if f._error is not None), None)
        if error is None:
            collected.set_result(futures)
        else:
            collected.set_exception(error)

    for future in futures:
        future.add_done_callback(count)
    return collected


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """Wait for futures and return their results.

    Example:
        >>> future = torch.futures.Future()
        >>> future.set_result(1)
        >>> torch.futures.wait_all([future])
        [1]
    """
    return [future.wait() for future in collect_all(futures).wait()]
